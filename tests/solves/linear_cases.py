"""Random decks of heat, laplace, advection and gray-scott, with what NumPy makes of them.

The references follow from the documented finite volumes and time integrators without using the program. They compute in long
double, whose range of 1e±4932 needs no care with scales.
"""
import numpy as np

PRECISE = np.longdouble
FACES = (("west", "east"), ("south", "north"), ("bottom", "top"))
AXES = "xyz"
GAMMA = 1 - 1 / np.sqrt(PRECISE(2))
# Stages of explicit integrators: entries of each row, then the weights.
EXPLICIT = {
    "explicit_euler": ((), (1,)),
    "ssp_rk2": ((), (1,), (1 / 2, 1 / 2)),
    "ssp_rk3": ((), (1,), (1 / 4, 1 / 4), (PRECISE(1) / 6, PRECISE(1) / 6, PRECISE(2) / 3)),
    "rk4": ((), (1 / 2,), (0, 1 / 2), (0, 0, 1), (PRECISE(1) / 6, PRECISE(1) / 3, PRECISE(1) / 3, PRECISE(1) / 6)),
}


def number(value):
    """A number as a deck has it: six digits."""
    return float(f"{value:.6g}")


def scale(chance, spread):
    """A random magnitude between 10^-spread and 10^spread."""
    return number(10 ** chance.uniform(-spread, spread))


class Expression:
    """A function of position for a deck (`text`) and for NumPy (called with the coordinates)."""

    def __init__(self, text, function):
        self.text, self.function = text, function

    def __call__(self, *at):
        return self.function(*at)


def constant(value):
    value = number(value)
    return Expression(repr(value), lambda *at: PRECISE(value) + 0 * at[0])


def smooth(chance, size, lengths, positive=False):
    """A wave about zero, or about a positive mean, along one of the axes of the given lengths."""
    axis = chance.randrange(len(lengths))
    size, length = number(size), lengths[axis]
    a, b, mean = number(chance.uniform(1, 7)), number(chance.uniform(0, 6)), 1.5 if positive else 0.25
    text = f"{size!r}*({mean}+sin({a}*({AXES[axis]}/{length!r})+{b}))"
    return Expression(text, lambda *at: PRECISE(size) * (mean + np.sin(PRECISE(a) * (at[axis] / PRECISE(length))
                                                                       + PRECISE(b))))


def jump(chance, low, high, lengths):
    """`high` on one side of a plane, `low` on the other."""
    axis = chance.randrange(len(lengths))
    place, low, high = number(lengths[axis] * chance.uniform(0.2, 0.8)), number(low), number(high)
    return Expression(f"{AXES[axis]} > {place!r} ? {high!r} : {low!r}",
                      lambda *at: np.where(at[axis] > PRECISE(place), PRECISE(high), PRECISE(low)))


class Line:
    """The unknowns of one axis: `position`, and `edges` of the volumes around them; `walls` is None where it is periodic."""

    def __init__(self, edges, walls, nodes=False):
        self.walls = walls
        self.ends = (edges[0], edges[-1])
        if nodes:
            given = [walls is not None and wall["kind"] == "dirichlet" for wall in walls or (None, None)]
            middles = (edges[1:] + edges[:-1]) / 2
            lower = middles[-1] - edges[-1] + edges[0] if walls is None else edges[0]
            all_edges = np.concatenate(([lower], middles, edges[-1:]))
            first, last = int(given[0]), len(edges) - int(given[1] or walls is None)
            self.position, self.edges = edges[first:last], all_edges[first:last + 1]
        else:
            self.position, self.edges = (edges[1:] + edges[:-1]) / 2, edges
        self.width = np.diff(self.edges)

    def __len__(self):
        return len(self.position)

    def beyond(self, place, side):
        """The unknown across a face and its distance, or None and the distance of the wall."""
        other = place + side
        if 0 <= other < len(self):
            return other, abs(self.position[other] - self.position[place])
        distances = self.position[0] - self.ends[0], self.ends[1] - self.position[-1]
        if self.walls is None:
            return other % len(self), sum(distances)
        return None, distances[side > 0]


def wall_law(wall):
    """a and b of a u + b du/dn = value."""
    if wall["kind"] == "dirichlet":
        return PRECISE(1), PRECISE(0)
    if wall["kind"] == "robin":
        return PRECISE(wall["a"]), PRECISE(wall["b"])
    return PRECISE(0), PRECISE(1)


class FiniteVolumes:
    """volume u' = right - matrix u for u' - div(k grad u) + v . grad u + c u = source; unknowns with x fastest.

    Faces take the harmonic mean of the k of their cells. `k_at_walls`: whether walls take k at their position, or what
    follows from that of the cells. `upwind`: whether the value that flows through a face is that of the upstream cell, or
    linear between both.
    """

    def __init__(self, lines, k, source, velocity=None, reaction=None, upwind=False, k_at_walls=False):
        self.lines, self.k, self.velocity, self.upwind, self.k_at_walls = lines, k, velocity, upwind, k_at_walls
        self.shape = [len(line) for line in lines]
        self.strides = [int(np.prod(self.shape[:axis])) for axis in range(len(lines))]
        size = int(np.prod(self.shape))
        self.at = [grid.ravel(order="F") for grid in np.meshgrid(*[line.position for line in lines], indexing="ij")]
        widths = [grid.ravel(order="F") for grid in np.meshgrid(*[line.width for line in lines], indexing="ij")]
        self.volume = np.prod(widths, axis=0)
        self.conductivity = k(*self.at)
        self.matrix = np.zeros((size, size), PRECISE)
        self.right = self.volume * source(*self.at)
        if reaction is not None:
            self.matrix[range(size), range(size)] += self.volume * reaction(*self.at)
        for row in range(size):
            for axis in range(len(lines)):
                for side in (-1, 1):
                    self._add_face(row, axis, side)

    def _add_face(self, row, axis, side):
        line = self.lines[axis]
        place = row // self.strides[axis] % self.shape[axis]
        other, distance = line.beyond(place, side)
        if other == place:
            return
        face = [coordinate[row] for coordinate in self.at]
        face[axis] = line.edges[place + (side > 0)]
        if other is not None and side > 0 and other < place:
            face[axis] = line.edges[0]  # the two ends of a period are one face
        outflow = side * self.velocity[axis](*face) if self.velocity else PRECISE(0)
        k = self.conductivity[row]
        area = self.volume[row] / line.width[place]
        if other is not None:
            column = row + (other - place) * self.strides[axis]
            mean = 2 / (1 / k + 1 / self.conductivity[column])
            share = (outflow < 0) if self.upwind else line.width[place] / 2 / distance
            weight = area * (mean / distance - outflow * share)
            self.matrix[row, row] += weight
            self.matrix[row, column] -= weight
            return
        wall = line.walls[side > 0]
        face[axis] = line.ends[side > 0]
        a, b = wall_law(wall)
        if self.k_at_walls:
            k = self.k(*face)
        elif b != 0 and len(line) > 1:
            k = self._extrapolated(row, row - side * self.strides[axis], distance, line.beyond(place, -side)[1])
        share = (outflow < 0) if self.upwind else 1
        weight = area * (k - outflow * distance * share) / (a * distance + b)
        self.matrix[row, row] += a * weight
        if "value" in wall:
            self.right[row] += weight * wall["value"](*face)


    def _extrapolated(self, row, next_row, distance, gap):
        """k at a wall with a derivative, from the last two cells; that of the last one if their materials differ."""
        k, following = self.conductivity[row], self.conductivity[next_row]
        is_smooth = k <= 2 * following and following <= 2 * k
        return k + min(PRECISE(1), distance / gap) * (k - following) if is_smooth else k


def solved(matrix, right):
    """matrix^-1 right, by Gaussian elimination with row pivoting and scaled rows."""
    largest = np.max(np.abs(matrix), axis=1)
    a = np.column_stack([matrix / largest[:, None], right / largest])
    size = len(right)
    for n in range(size - 1):
        pivot = n + int(np.argmax(np.abs(a[n:, n])))
        if pivot != n:
            a[[n, pivot]] = a[[pivot, n]]
        rows = n + 1 + np.flatnonzero(a[n + 1:, n])
        a[rows, n:] -= np.outer(a[rows, n] / a[n, n], a[n, n:])
    x = np.zeros(size, PRECISE)
    for n in range(size - 1, -1, -1):
        x[n] = (a[n, -1] - a[n, n + 1:size] @ x[n + 1:]) / a[n, n]
    return x


def condition_of(matrix):
    """|A| |A^-1| in the maximum norm of a matrix whose largest entry is made one."""
    a = (matrix / np.max(np.abs(matrix))).astype(float)
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return np.inf
    return float(np.max(np.sum(np.abs(a), axis=1)) * np.max(np.sum(np.abs(inverse), axis=1)))


def identity(size):
    return np.eye(size, dtype=PRECISE)


def most(values):
    return float(np.max(np.abs(values))) if np.size(values) else 0.0


class Problem:
    """A deck, the number of ranks that run it, and what is known of its result.

    `reference()` gives the values of each field and the condition: by how much a relative error of every operation may grow.
    """

    def __init__(self, chance, physics):
        self.physics = physics
        self.precision = chance.choice(("double", "double", "single"))
        self.ranks = chance.choice((1, 1, 2, 3))
        dimensions = chance.choice((1, 1, 2, 2, 3))
        self.spread = chance.choice((0, 0, 3, 10, 30))
        self.length = scale(chance, self.spread)
        largest = {1: 60, 2: 11, 3: 5}[dimensions]
        self.cells = [chance.randint(2, largest) for _ in range(dimensions)]
        self.cells[0] = max(self.cells[0], self.ranks)
        self.lower = [number(self.length * chance.uniform(-1, 1)) if chance.random() < 0.2 else 0.0 for _ in self.cells]
        self.upper = [number(low + self.length * chance.uniform(0.3, 2)) for low in self.lower]
        self.lengths = [number(high - low) for low, high in zip(self.lower, self.upper)]
        self.growth = [1.0] * dimensions
        self.periodic = [chance.random() < 0.2 for _ in self.cells]

    def mesh(self):
        return {"cells": self.cells, "lower": self.lower, "upper": self.upper, "growth": self.growth,
                "periodic": self.periodic}

    def edges(self):
        for cells, low, high, growth in zip(self.cells, self.lower, self.upper, self.growth):
            widths = PRECISE(growth) ** np.arange(cells)
            parts = np.concatenate(([PRECISE(0)], np.cumsum(widths))) / np.sum(widths)
            yield PRECISE(low) + (PRECISE(high) - PRECISE(low)) * parts

    def wall(self, chance, size, kinds):
        """A random wall for values of about `size`."""
        kind = chance.choice(kinds)
        wall = {"kind": kind}
        if kind == "dirichlet":
            wall["value"] = constant(size * chance.uniform(-1, 1)) if chance.random() < 0.5 else \
                smooth(chance, size, self.lengths)
        elif kind == "neumann":
            wall["value"] = constant(size / self.length * chance.uniform(-1, 1))
        elif kind == "robin":
            factor = scale(chance, self.spread / 3)
            wall["a"] = number(factor * chance.uniform(0, 1))
            wall["b"] = number(factor * self.length * chance.uniform(0.1, 1))
            wall["value"] = constant(factor * size * chance.uniform(-1, 1))
        return wall

    def walls(self, chance, size, kinds):
        return [None if periodic else [self.wall(chance, size, kinds) for _ in range(2)] for periodic in self.periodic]

    def boundary(self, walls):
        faces = {}
        for names, pair in zip(FACES, walls):
            for name, wall in zip(names, pair or ()):
                faces[name] = {key: value.text if key == "value" else value for key, value in wall.items()}
        return faces


KINDS = ("dirichlet", "neumann", "robin", "reflecting", "dirichlet", "neumann")


class LinearProblem(Problem):
    """heat, laplace or advection, stationary or with some steps in time."""

    def __init__(self, chance, physics):
        super().__init__(chance, physics)
        self.size = scale(chance, self.spread)
        self.k0 = 1.0 if physics == "laplace" else scale(chance, self.spread)
        if physics != "heat" and chance.random() < 0.3:
            self.growth = [chance.choice((1.0, 1.05, 1.3, 0.8)) for _ in self.cells]
        self.evolves = physics == "heat" or physics == "advection" and chance.random() < 0.6
        self.nodes = physics == "laplace" and chance.random() < 0.5
        if self.nodes:
            self.cells = [max(cells, 3) for cells in self.cells]
        contrast = 10 ** chance.uniform(0, 3 if self.precision == "double" else 1)
        lengths = self.lengths
        self.k = constant(self.k0)
        if physics != "laplace":
            self.k = chance.choice((self.k, smooth(chance, self.k0, lengths, positive=True),
                                    jump(chance, self.k0, self.k0 * contrast, lengths)))
        rate = self.k0 / self.length ** 2
        self.source = chance.choice((constant(0), constant(self.size * rate), smooth(chance, self.size * rate, lengths)))
        self.initial = chance.choice((constant(self.size), smooth(chance, self.size, lengths)))
        self.all_walls = self.walls(chance, self.size, KINDS)
        self.velocity, self.reaction, self.upwind = None, None, False
        if physics == "advection":
            self.choose_flow(chance, rate)
        if not self.evolves and not self.is_regular():
            self.periodic[0] = False
            self.all_walls[0] = [self.wall(chance, self.size, ("dirichlet",)) for _ in range(2)]
        self.time = self.choose_time(chance) if self.evolves else None
        self.solver = self.choose_solver(chance)

    def choose_flow(self, chance, rate):
        speed = self.k0 / self.length * 10 ** chance.uniform(-2, 1.5)
        self.upwind = chance.random() < 0.5
        if chance.random() < 0.8:
            self.velocity = [chance.choice((constant(speed * chance.uniform(-1, 1)), smooth(chance, speed, self.lengths)))
                             for _ in self.cells]
        if chance.random() < 0.4:
            self.reaction = constant(rate * 10 ** chance.uniform(-2, 1))

    def is_regular(self):
        fixes = [wall["kind"] == "dirichlet" or wall.get("a", 0) > 0 for pair in self.all_walls for wall in pair or ()]
        return any(fixes) or self.reaction is not None

    def choose_time(self, chance):
        implicit = ["implicit_euler", "crank_nicolson", "theta", "sdirk2"]
        method = chance.choice([*EXPLICIT, *implicit])
        self.theta = number(chance.uniform(0.5, 1))
        volumes = self.volumes()
        # The rows of volume^-1 matrix bound its eigenvalues.
        with np.errstate(all="ignore"):
            fastest = float(np.max(np.sum(np.abs(volumes.matrix), axis=1) / volumes.volume))
        fraction = chance.uniform(0.2, 0.9) if method in EXPLICIT else 10 ** chance.uniform(-2, 3)
        self.step = number(fraction / fastest) if fastest > 0 else 1.0
        self.steps = chance.randint(1, 5)
        time = {"method": method, "step": self.step, "steps": self.steps}
        if method == "theta":
            time["theta"] = {"theta": self.theta}
        return time

    def choose_solver(self, chance):
        symmetric = self.velocity is None
        methods = ["gmres", "bicgstab"] + (["cg", "cg", "minres", "multigrid"] if symmetric else [])
        method = chance.choice(methods)
        options = {"relative_tolerance": 1e-12 if self.precision == "double" else 1e-6,
                   "relative_to": chance.choice(("initial", "right_hand_side"))}
        if method != "multigrid":
            options["preconditioner"] = chance.choice(["none", "jacobi", "gauss_seidel"] +
                                                      (["multigrid"] if symmetric else []))
        return {"method": method, method: options}

    def deck(self):
        section = {"source": self.source.text, "initial": self.initial.text, "boundary": self.boundary(self.all_walls)}
        deck = {"physics": self.physics, "precision": self.precision, "mesh": self.mesh(), self.physics: section,
                "output": {"snapshots": {}}, "solver": self.solver}
        if self.physics == "laplace":
            section["centring"] = "node" if self.nodes else "cell"
        elif self.physics == "heat":
            section["conductivity"] = self.k.text
        else:
            section.update(diffusivity=self.k.text, scheme="upwind" if self.upwind else "central",
                           reaction=self.reaction.text if self.reaction else "0")
            if self.velocity:
                section["velocity"] = {axis: speed.text for axis, speed in zip(AXES, self.velocity)}
        if self.time:
            deck["time"] = self.time
        return deck

    def volumes(self):
        lines = [Line(edges, walls, self.nodes) for edges, walls in zip(self.edges(), self.all_walls)]
        return FiniteVolumes(lines, self.k, self.source, self.velocity, self.reaction, self.upwind,
                             k_at_walls=self.physics == "advection")

    def reference(self):
        system = self.volumes()
        u = system.k(*system.at) * 0 + self.initial(*system.at)
        if not self.time:
            x = solved(system.matrix, system.right)
            started = max(most(u) / most(x), 1) if most(x) > 0 else 1
            return {"u": x}, condition_of(system.matrix) * started
        step, condition = self.stepper(system)
        largest, powers, amplification = most(u), None, 0.0
        growth = self.growth_of(system)
        for _ in range(self.steps):
            powers = np.eye(len(u)) if powers is None else powers @ growth
            amplification += float(np.max(np.sum(np.abs(powers), axis=1)))
            u = step(u)
            largest = max(largest, most(u))
        return {"u": u}, condition * amplification * (largest / most(u) if most(u) > 0 else np.inf)

    def growth_of(self, system):
        """What a step multiplies differences of the unknowns by."""
        slope = (self.step * system.matrix / system.volume[:, None]).astype(float)
        method, size = self.time["method"], len(slope)
        if method in EXPLICIT:
            order = {"explicit_euler": 1, "ssp_rk2": 2, "ssp_rk3": 3, "rk4": 4}[method]
            power = total = np.eye(size)
            for n in range(1, order + 1):
                power = power @ -slope / n
                total = total + power
            return total
        if method == "sdirk2":
            gamma = float(GAMMA)
            once = np.linalg.inv(np.eye(size) + gamma * slope)
            return once @ once @ (np.eye(size) - (1 - 2 * gamma) * slope)
        theta = self.part()
        return np.linalg.solve(np.eye(size) + theta * slope, np.eye(size) - (1 - theta) * slope)

    def part(self):
        """At which part of a step the theta method takes the rate."""
        return {"implicit_euler": 1.0, "crank_nicolson": 0.5}.get(self.time["method"], self.theta)

    def stepper(self, system):
        """A step, and the condition of its operations."""
        step, method, volume = PRECISE(self.step), self.time["method"], system.volume

        def rate(u):
            return (system.right - system.matrix @ u) / volume

        if method in EXPLICIT:
            return (lambda u: explicit_step(method, rate, step, u)), 3.0
        if method == "sdirk2":
            matrix = np.diag(volume) + GAMMA * step * system.matrix
            right = GAMMA * step * system.right
            weight = (1 - GAMMA) / GAMMA

            def twice(u):
                v = solved(matrix, volume * u + right)
                return solved(matrix, volume * (weight * v + (1 - weight) * u) + right)

            return twice, 2 * condition_of(matrix)
        theta = PRECISE(self.part())
        matrix = np.diag(volume) + theta * step * system.matrix
        return (lambda u: solved(matrix, volume * (u + (1 - theta) * step * rate(u)) + theta * step * system.right)), \
            condition_of(matrix)


def explicit_step(method, rate, step, u):
    *rows, weights = EXPLICIT[method]
    slopes = []
    for row in rows:
        slopes.append(rate(u + step * sum((weight * slope for weight, slope in zip(row, slopes)), 0 * u)))
    return u + step * sum(weight * slope for weight, slope in zip(weights, slopes))


class GrayScott(Problem):
    """Two substances that diffuse and react."""

    def __init__(self, chance, physics):
        super().__init__(chance, physics)
        self.cells = [max(cells, 2) for cells in self.cells]
        # The reaction fixes the unit of time; concentrations may be small.
        self.sizes = [number(10 ** -abs(chance.uniform(-self.spread, self.spread))) for _ in range(2)]
        self.rates = {"F": number(chance.uniform(0, 0.5)), "k": number(chance.uniform(0, 0.5))}
        self.diffusivities = [number(self.length ** 2 * 10 ** chance.uniform(-4, 0)) for _ in range(2)]
        self.initial = [chance.choice((constant(size), smooth(chance, size, self.lengths, positive=True)))
                        for size in self.sizes]
        self.source = [chance.choice((constant(0), smooth(chance, size, self.lengths))) for size in self.sizes]
        self.all_walls = [self.walls(chance, size, KINDS) for size in self.sizes]
        spacing = min(length / cells for length, cells in zip(self.lengths, self.cells))
        fastest = 4 * len(self.cells) * max(self.diffusivities) / spacing ** 2 + 1
        self.step, self.steps = number(chance.uniform(0.2, 0.9) / fastest), chance.randint(1, 12)
        self.method = chance.choice(tuple(EXPLICIT))

    def deck(self):
        section = {"Du": self.diffusivities[0], "Dv": self.diffusivities[1], **self.rates}
        for n, name in enumerate("uv"):
            section[name] = {"initial": self.initial[n].text, "source": self.source[n].text,
                             "boundary": self.boundary(self.all_walls[n])}
        return {"physics": self.physics, "precision": self.precision, "mesh": self.mesh(), self.physics: section,
                "time": {"method": self.method, "step": self.step, "steps": self.steps}, "output": {"snapshots": {}}}

    def reference(self):
        systems = []
        for n in range(2):
            lines = [Line(edges, walls) for edges, walls in zip(self.edges(), self.all_walls[n])]
            systems.append(FiniteVolumes(lines, constant(1), constant(0)))
        diffusivities = [PRECISE(value) for value in self.diffusivities]
        sources = [source(*systems[0].at) for source in self.source]
        feed, kill = (PRECISE(self.rates[name]) for name in "Fk")

        def rate(state):
            diffusion = [diffusivities[n] * (systems[n].right - systems[n].matrix @ state[n]) / systems[n].volume
                         + sources[n] for n in range(2)]
            reaction = state[0] * state[1] ** 2
            return np.stack([diffusion[0] - reaction + feed * (1 - state[0]),
                             diffusion[1] + reaction - (feed + kill) * state[1]])

        start = np.stack([initial(*systems[0].at) for initial in self.initial])
        wiggle = PRECISE(1e-9) * np.cos(PRECISE(7) * np.arange(start.size).reshape(start.shape))
        ends, peak = [], np.zeros(2)
        for state in (start, start * (1 + wiggle)):
            for n in range(self.steps + 1):
                peak = np.maximum(peak, np.max(np.abs(state), axis=1).astype(float))
                if n < self.steps:
                    state = explicit_step(self.method, rate, PRECISE(self.step), state)
            ends.append(state)
        final = np.max(np.abs(ends[0]), axis=1).astype(float)
        grown = np.max(np.abs(ends[1] - ends[0]), axis=1).astype(float) / 1e-9
        with np.errstate(all="ignore"):
            condition = 3.0 * self.steps * float(np.max(np.maximum(peak, grown) / final))
        return {"u": ends[0][0], "v": ends[0][1]}, condition if np.isfinite(condition) else np.inf


def linear_case(chance, physics):
    return GrayScott(chance, physics) if physics == "gray-scott" else LinearProblem(chance, physics)

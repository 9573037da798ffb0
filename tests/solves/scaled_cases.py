"""Random decks of laws, waves and bodies in units that are powers of two, and the same decks in units of order one.

A change of units multiplies every number by a power of two and changes no digit. So a run in any units, in either precision
and on any number of ranks must end with the values of the run in units of order one, in double precision on one rank.
"""
import numpy as np

from linear_cases import AXES, FACES, number

LAWS = ("euler", "shallow-water")
# By how much the perturbed run differs at its start.
PERTURBATION = 1e-8


def power_of_two(chance, spread):
    """A random power of two between about 10^-spread and 10^spread."""
    return 2.0 ** round(chance.uniform(-spread, spread) / np.log10(2))


def times(factor, text):
    return f"{factor!r}*({text})"


class ScaledProblem:
    """`deck(units)` is the deck in units (a dictionary of powers of two): `units` of the case, `ones` of order one.

    `fields(units)` are the unit of each field that is compared, in groups whose largest value the difference is relative to.
    """

    unit_names = ()

    def __init__(self, chance, physics):
        self.physics = physics
        self.precision = chance.choice(("double", "single"))
        self.ranks = chance.choice((1, 1, 2, 3))
        self.spread = chance.choice((3, 10, 30))
        self.units = {name: power_of_two(chance, self.spread) for name in self.unit_names}
        self.ones = {name: 1.0 for name in self.unit_names}

    def choose_mesh(self, chance, largest):
        dimensions = chance.choice(range(1, len(largest) + 1))
        self.cells = [chance.randint(4, largest[dimensions - 1]) for _ in range(dimensions)]
        self.cells[0] = max(self.cells[0], 4 * self.ranks)
        self.spacing = number(chance.uniform(0.02, 0.1))
        self.periodic = [chance.random() < 0.3 for _ in self.cells]

    def mesh(self, length):
        return {"cells": self.cells, "upper": [n * self.spacing * length for n in self.cells], "periodic": self.periodic}

    def wave(self, chance, low, high):
        """A text between two numbers; `L` stands for the unit of length, `E` for a relative perturbation."""
        axis = AXES[chance.randrange(len(self.cells))]
        a, b = number(chance.uniform(2, 12)), number(chance.uniform(0, 6))
        if chance.random() < 0.3:
            place = number(chance.uniform(0.3, 0.7) * self.spacing * self.cells[AXES.index(axis)])
            return f"({axis}/L > {place!r} ? {number(low)!r} : {number(high)!r})*(1+E*sin(77*({axis}/L)))"
        return (f"({number((low + high) / 2)!r}+{number((high - low) / 2)!r}*sin({a!r}*({axis}/L)+{b!r}))"
                f"*(1+E*sin(77*({axis}/L)))")

    @staticmethod
    def filled(text, unit, length, perturbation):
        return times(unit, text.replace("/L", f"/{length!r}").replace("E*", f"{perturbation!r}*"))


class Law(ScaledProblem):
    """euler and shallow-water; units of density (or depth), velocity and length."""

    unit_names = ("mass", "speed", "length")

    def __init__(self, chance, physics):
        super().__init__(chance, physics)
        self.choose_mesh(chance, (40, 12, 6) if physics == "euler" else (40, 12))
        dimensions = len(self.cells)
        self.speeds = [self.wave(chance, -0.5, 0.5) for _ in range(dimensions)]
        self.options = {"riemann": chance.choice(("rusanov", "hll", "hllc") if physics == "euler" else ("rusanov", "hll")),
                        "reconstruction": chance.choice(("donor_cell", "plm", "plm", "weno5") if physics == "euler"
                                                        else ("donor_cell", "plm", "plm")),
                        "limiter": chance.choice(("minmod", "mc", "van_leer", "superbee"))}
        self.first = self.wave(chance, 0.5, 2)
        self.second = self.wave(chance, 0.5, 2) if physics == "euler" else \
            chance.choice(("0", self.wave(chance, 0, 0.3), self.wave(chance, 0, 2)))
        kinds = ["outflow", "reflecting", "inflow"] + (["pressure_outflow"] if physics == "euler" else ["discharge", "stage"])
        self.walls = {}
        for names, periodic in zip(FACES, self.periodic):
            for name in names:
                if not periodic:
                    self.walls[name] = chance.choice(kinds)
        self.inflow = [number(chance.uniform(0.5, 1.5)), number(chance.uniform(0.5, 1.5))] + \
            [number(chance.uniform(-0.5, 0.5)) for _ in range(dimensions)]
        # Explicit Euler is stable with values of cells alone.
        self.method = chance.choice(("ssp_rk2", "ssp_rk3") if self.options["reconstruction"] != "donor_cell" else
                                    ("explicit_euler", "ssp_rk2", "ssp_rk3"))
        self.courant = number(chance.uniform(0.2, 0.8))
        self.fixed = chance.random() < 0.5
        self.steps = chance.randint(1, 12)

    def deck(self, units, perturbation=0.0):
        mass, speed, length = (units[name] for name in self.unit_names)
        fluid = self.physics == "euler"
        names = ("density", "pressure") if fluid else ("depth", "bathymetry")
        sizes = (mass, mass * speed ** 2) if fluid else (mass, mass)
        texts = {name: self.filled(text, size, length, perturbation)
                 for name, text, size in zip(names, (self.first, self.second), sizes)}
        texts.update({f"velocity_{axis}": self.filled(text, speed, length, perturbation)
                      for axis, text in zip(AXES, self.speeds)})
        boundary = {}
        for face, kind in self.walls.items():
            boundary[face] = {"kind": kind}
            if kind == "inflow":
                boundary[face].update({names[0]: repr(self.inflow[0] * sizes[0])})
                if fluid:
                    boundary[face]["pressure"] = repr(self.inflow[1] * sizes[1])
                boundary[face].update({f"velocity_{axis}": repr(value * speed)
                                       for axis, value in zip(AXES, self.inflow[2:])})
            elif kind == "pressure_outflow":
                boundary[face]["pressure"] = repr(self.inflow[1] * sizes[1])
            elif kind == "discharge":
                boundary[face]["discharge"] = repr((self.inflow[1] - 1) * mass * speed)
            elif kind == "stage":
                boundary[face]["surface"] = repr(self.inflow[0] * mass)
        section = {**self.options, "initial": texts, "boundary": boundary}
        if not fluid:
            section.update(gravity=speed ** 2 / mass, dry_depth=1e-6 * mass)
        # No speed of a wave is above 6; the longest step of a law is at most its spacing over the sum of the axes' speeds.
        time = {"step": self.courant * self.spacing / 6 / len(self.cells) * (length / speed)} if self.fixed else \
            {"courant": self.courant}
        return {"physics": self.physics, "mesh": self.mesh(length), self.physics: section,
                "time": {"method": self.method, "steps": self.steps, **time}, "output": {"snapshots": {}}}

    def fields(self, units):
        mass, speed, _ = (units[name] for name in self.unit_names)
        momenta = {f"momentum_{axis}": mass * speed for axis in AXES[:len(self.cells)]}
        if self.physics == "euler":
            return [{"density": mass}, {"energy": mass * speed ** 2}, {**momenta, "density": mass}]
        return [{"depth": mass, "bathymetry": mass}, {**momenta, "depth": mass}]


class Wave(ScaledProblem):
    """Waves and weighted sums; units of length, time and amplitude."""

    unit_names = ("length", "time", "size")

    def __init__(self, chance, physics):
        super().__init__(chance, physics)
        self.choose_mesh(chance, (60, 20, 12))
        self.speed = chance.choice(("1.0", self.wave(chance, 0.5, 2)))
        self.initial = [chance.choice(("0", self.wave(chance, -1, 1))), chance.choice(("0", self.wave(chance, -3, 3)))]
        self.sponge = number(chance.uniform(0.1, 0.4)) * min(self.cells) * self.spacing if chance.random() < 0.3 else 0
        extents = [n * self.spacing for n in self.cells]
        self.source = {"position": [number(extent * chance.uniform(0.2, 0.8)) for extent in extents],
                       "frequency": number(chance.uniform(1, 10)), "amplitude": number(chance.uniform(0.1, 1))} \
            if chance.random() < 0.5 or self.initial == ["0", "0"] else None
        self.step = number(0.5 * self.spacing / 2 / len(self.cells) * chance.uniform(0.3, 1))
        self.steps = chance.randint(1, 30)

    def deck(self, units, perturbation=0.0):
        length, time, size = (units[name] for name in self.unit_names)
        speed = length / time
        section = {"speed": self.filled(self.speed, speed * (1 + perturbation), length, 0.0),
                   "initial": self.filled(self.initial[0], size, length, perturbation),
                   "initial_rate": self.filled(self.initial[1], size / time, length, perturbation)}
        if self.sponge:
            section["sponge"] = {"width": self.sponge * length}
        if self.source:
            section["sources"] = [{"position": [value * length for value in self.source["position"]],
                                   "frequency": self.source["frequency"] / time, "delay": 0.1 * time,
                                   "amplitude": self.source["amplitude"] * size / time ** 2 * length ** len(self.cells)}]
        return {"physics": self.physics, "mesh": self.mesh(length), "wave": section,
                "time": {"step": self.step * time, "steps": self.steps}, "output": {"snapshots": {}}}

    def fields(self, units):
        return [{"u": units["size"]}]


class Bodies(ScaledProblem):
    """Bodies; units of mass, length and time, in which the constant of gravity is one."""

    unit_names = ("mass", "length", "time")

    def __init__(self, chance, physics):
        super().__init__(chance, physics)
        self.initial = chance.choice(("file", "plummer", "two_body"))
        self.softening = chance.choice((0.0, number(chance.uniform(0.01, 0.3))))
        self.rows = []
        for _ in range(chance.randint(3, 24)):
            self.rows.append([number(chance.uniform(-1, 1)) for _ in range(6)] + [number(chance.uniform(0.01, 1))])
        self.axis, self.eccentricity = number(chance.uniform(0.5, 2)), number(chance.uniform(0, 0.7))
        self.count, self.seed = chance.randint(8, 40), chance.randint(1, 1000)
        self.step, self.steps = number(chance.uniform(1e-4, 1e-2)), chance.randint(1, 20)

    def deck(self, units, perturbation=0.0):
        mass, length, time = (units[name] for name in self.unit_names)
        section = {"initial": self.initial, "softening": self.softening * length,
                   "gravity": length ** 3 / (mass * time ** 2) * (1 + perturbation)}
        if self.initial == "file":
            section["file"] = {"path": "bodies.npy"}
        elif self.initial == "plummer":
            section["plummer"] = {"bodies": self.count, "mass": mass, "seed": self.seed,
                                  "scale": length * (1 + perturbation)}
        else:
            section["two_body"] = {"masses": [0.25 * mass, 0.75 * mass], "axis": self.axis * length * (1 + perturbation),
                                   "eccentricity": self.eccentricity}
        return {"physics": self.physics, "nbody": section, "time": {"step": self.step * time, "steps": self.steps},
                "output": {"snapshots": {}}}

    def files(self, units, perturbation=0.0):
        if self.initial != "file":
            return {}
        mass, length, time = (units[name] for name in self.unit_names)
        rows = np.array(self.rows) * np.array([length] * 3 + [length / time] * 3 + [mass])
        rows[:, 0] *= 1 + perturbation * np.sin(7 * np.arange(len(rows)))
        return {"bodies.npy": rows}

    def fields(self, units):
        return [{"position": units["length"]}, {"velocity": units["length"] / units["time"]}, {"mass": units["mass"]}]


def scaled_case(chance, physics):
    return {"wave": Wave, "nbody": Bodies}.get(physics, Law)(chance, physics)

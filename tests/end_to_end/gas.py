"""Solutions of the Euler equations for tests, by NumPy alone: the exact one of Riemann problems, and a scheme in one
dimension."""

import numpy


class Riemann:
    """The exact solution of a Riemann problem for an ideal gas (Toro, Riemann Solvers and Numerical Methods for Fluid
    Dynamics, chapter 4); states are (density, velocity, pressure). `riemann(speeds)` are the three at x / t = speeds."""

    def __init__(self, left, right, gamma):
        self.left, self.right, self.gamma = left, right, gamma
        # The function of pressure whose zero is that of the middle is increasing and concave: bisection of its logarithm.
        low, high = 1e-30, 1e6 * max(left[2], right[2])
        for _ in range(200):
            self.pressure = (low * high) ** 0.5
            if self._jump(left) + self._jump(right) + right[1] - left[1] > 0:
                high = self.pressure
            else:
                low = self.pressure
        self.velocity = 0.5 * (left[1] + right[1] + self._jump(right) - self._jump(left))

    def _jump(self, state):
        """The change of velocity across the wave on one side."""
        density, _, before = state
        g, p = self.gamma, self.pressure
        if p > before:
            return (p - before) * (2 / ((g + 1) * density) / (p + (g - 1) / (g + 1) * before)) ** 0.5
        return 2 / (g - 1) * (g * before / density) ** 0.5 * ((p / before) ** ((g - 1) / (2 * g)) - 1)

    def __call__(self, speeds):
        speeds = numpy.asarray(speeds, float)
        of_left = self._side(self.left, speeds, 1)
        of_right = self._side(self.right, speeds, -1)
        return [numpy.where(speeds < self.velocity, a, b) for a, b in zip(of_left, of_right)]

    def _side(self, state, speeds, way):
        """One side as if it were the left one: `way` is -1 for the right side, its mirror image."""
        g, p = self.gamma, self.pressure
        density, u, before = state[0], way * state[1], state[2]
        s, middle = way * speeds, way * self.velocity
        c, ratio = (g * before / density) ** 0.5, p / before
        if p > before:
            q = (g - 1) / (g + 1)
            outside = s < u - c * ((g + 1) / (2 * g) * ratio + (g - 1) / (2 * g)) ** 0.5
            found = [numpy.where(outside, a, b) for a, b in
                     zip((density, u, before), (density * (ratio + q) / (q * ratio + 1), middle, p))]
        else:
            behind = c * ratio ** ((g - 1) / (2 * g))
            inside = numpy.clip(2 / (g + 1) + (g - 1) / ((g + 1) * c) * (u - s), behind / c, 1)
            found = [density * inside ** (2 / (g - 1)), u + 2 / (g - 1) * c * (1 - inside),
                     before * inside ** (2 * g / (g - 1))]
        return found[0], way * found[1], found[2]


def advance(state, width, end, gamma, walls):
    """Advances arrays of (density, velocity, pressure) on cells of this width: linear profiles of primitive values with
    minmod slopes, predicted by half a step (Hancock), and HLL fluxes (Einfeldt). `walls` is "reflecting" or "fixed"."""
    w = numpy.array(state, float)

    def conserved(w):
        return numpy.array([w[0], w[0] * w[1], w[2] / (gamma - 1) + 0.5 * w[0] * w[1] ** 2])

    def primitive(u):
        return numpy.array([u[0], u[1] / u[0], (gamma - 1) * (u[2] - 0.5 * u[1] ** 2 / u[0])])

    def flux(w):
        return numpy.array([w[0] * w[1], w[0] * w[1] ** 2 + w[2], w[1] * (conserved(w)[2] + w[2])])

    time = 0.0
    while time < end:
        sound = numpy.sqrt(gamma * w[2] / w[0])
        step = min(0.4 * width / numpy.max(abs(w[1]) + sound), end - time)
        time += step
        if walls == "reflecting":
            mirror = numpy.array([[1], [-1], [1]])
            padded = numpy.concatenate([mirror * w[:, 1::-1], w, mirror * w[:, :-3:-1]], axis=1)
        else:
            padded = numpy.concatenate([w[:, :1], w[:, :1], w, w[:, -1:], w[:, -1:]], axis=1)
        a, b = padded[:, 1:-1] - padded[:, :-2], padded[:, 2:] - padded[:, 1:-1]
        slope = numpy.where(a * b > 0, numpy.where(abs(a) < abs(b), a, b), 0)
        lower, upper = padded[:, 1:-1] - slope / 2, padded[:, 1:-1] + slope / 2
        half = 0.5 * step / width * (flux(lower) - flux(upper))
        lower, upper = primitive(conserved(lower) + half), primitive(conserved(upper) + half)
        l, r = upper[:, :-1], lower[:, 1:]
        root_l, root_r = numpy.sqrt(l[0]), numpy.sqrt(r[0])
        square_l, square_r = gamma * l[2] / l[0], gamma * r[2] / r[0]
        mean = (root_l * l[1] + root_r * r[1]) / (root_l + root_r)
        spread = numpy.sqrt((root_l * square_l + root_r * square_r) / (root_l + root_r)
                            + 0.5 * root_l * root_r / (root_l + root_r) ** 2 * (r[1] - l[1]) ** 2)
        low = numpy.minimum(0, numpy.minimum(l[1] - numpy.sqrt(square_l), mean - spread))
        high = numpy.maximum(0, numpy.maximum(r[1] + numpy.sqrt(square_r), mean + spread))
        through = (high * flux(l) - low * flux(r) + low * high * (conserved(r) - conserved(l))) / (high - low)
        w = primitive(conserved(w) + step / width * (through[:, :-1] - through[:, 1:]))
    return w


def shocked_wave(mach, gamma, wave_number):
    """The linear answer of a shock that moves at this Mach number into a gas at rest, of density 1 + e sin(k x) and pressure
    1: a function of the distance behind the shock's start and of time, the change of density over e where x is the start 0.

    The jump conditions, linearised about the steady shock, give three changes behind it for the change of density ahead: of
    the shock's speed, an entropy wave, which the gas carries, and a sound wave, which moves to the left in the gas."""
    def behind(density, speed):
        square = density * speed ** 2 / gamma
        pressure = 1 + 2 * gamma / (gamma + 1) * (square - 1)
        ratio = (gamma + 1) * square / ((gamma - 1) * square + 2)
        return numpy.array([density * ratio, speed * (1 - 1 / ratio), pressure])

    speed = mach * gamma ** 0.5
    density, velocity, pressure = behind(1, speed)
    sound = (gamma * pressure / density) ** 0.5
    small = 1e-6
    by_density = (behind(1 + small, speed) - behind(1 - small, speed)) / (2 * small)
    by_speed = (behind(1, speed + small) - behind(1, speed - small)) / (2 * small)
    # In a sound wave to the left, the change of velocity is minus that of pressure over density and speed of sound.
    change = -(by_density[1] * density * sound + by_density[2]) / (by_speed[1] * density * sound + by_speed[2])
    of_density, _, of_pressure = by_density + change * by_speed
    of_sound = of_pressure / sound ** 2
    carried, left = velocity, velocity - sound

    def density_of_waves(x, time):
        return ((of_density - of_sound) * numpy.sin(wave_number * speed / (speed - carried) * (x - carried * time))
                + of_sound * numpy.sin(wave_number * speed / (speed - left) * (x - left * time)))
    return density_of_waves

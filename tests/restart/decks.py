"""Decks of all evolving physics, integrators and solvers with state between steps, for interrupted runs: each run takes a few
seconds, and writes tables, residuals, traces and snapshots by steps and by times."""

OUTPUT = """
output:
  scalars: {interval: 3}
  snapshots: {interval: %d}
"""

HEAT = """
physics: heat
mesh: {cells: [%d, %d], upper: [1, 1.5]}
heat:
  initial: 1 + sin(3*x)*y
  conductivity: 0.2 + 0.1*x
  source: 0.3*sin(5*t)*x
  boundary: {north: {kind: dirichlet, value: 1 + 0.2*sin(8*t)}}
time: %s
solver: %s
"""

TWO_TEMPERATURE = """
physics: two-temperature
mesh: {cells: [40, 54]}
two-temperature:
  electron_capacity: 0.5
  lattice_capacity: 4
  exchange: 1e4
  electrons: {initial: 2 + sin(3*x)*y, source: "exp(-t)*x", boundary: {west: {kind: dirichlet, value: "2 + t"}}}
  lattice: {initial: 1 + x*y}
time: {method: bdf2, step: 0.01, steps: 60}
solver: {method: cg, cg: {preconditioner: multigrid}}
"""

GRAY_SCOTT = """
physics: gray-scott
mesh: {cells: [%d, %d], upper: [1, 1], periodic: [true, false]}
gray-scott:
  F: 0.04
  k: 0.0649
  u: {initial: 1 - 0.5*(abs(x - 0.5) < 0.1 && abs(y - 0.5) < 0.1)}
  v: {initial: 0.25*(abs(x - 0.5) < 0.1 && abs(y - 0.5) < 0.1), source: 1e-5*sin(0.1*t)}
time: %s
"""

FISHER_KPP = """
physics: fisher-kpp
mesh: {cells: [60, 47]}
fisher-kpp:
  diffusivity: "x < 0.6 ? 0.02*(1 + random(5)) : 0.001"
  growth: 1 + x - 2*y
  u: {initial: 0.5 + 0.4*sin(5*x)*cos(3*y), source: "0.1*sin(t)*x", boundary: {west: {kind: dirichlet, value: "0.5 + 0.1*t"}}}
  sources: [{position: [0.3, 0.8], strength: "0.01*cos(t)"}]
  receivers: [{position: [0.3, 0.8]}, {name: aside, position: [0.6, 0.1]}]
time: %s
solver: {method: cg, cg: {preconditioner: multigrid}}
"""

WAVE = """
physics: wave
precision: %s
mesh: {cells: [40, 36, 30], upper: [1600, 1440, 1200]}
wave:
  speed: "z < 500 ? 3000 : 1500"
  sponge: {width: 160}
  sources: [{position: [800, 800, 700], frequency: 10, amplitude: 1e10}]
  receivers:
    - {name: above, position: [800, 800, 900]}
    - {name: aside, position: [1200, 600, 400]}
time: {step: 0.004, steps: %d}
"""

WEIGHTED_SUM = """
physics: wave
mesh: {cells: [64, 80], periodic: [true, true]}
wave:
  method: weighted_sum
  weights: [0.2, 0.1, 0.05, 0.03, 0.02]
  initial: sin(7*x)*y
time: {step: 1, steps: %d}
"""

NBODY = """
physics: nbody
precision: %s
nbody:
  initial: plummer
  plummer: {bodies: %d, seed: 7}
  softening: 0.05
time: {step: 0.01, steps: %d}
"""

EULER = """
physics: euler
mesh: {cells: [%d, %d], upper: [1, 1], periodic: [true, false]}
euler:
  %s
  initial:
    density: 1 + 0.4*(y > 0.5)
    velocity_x: 0.5*(y > 0.5) - 0.2
    velocity_y: 0.05*sin(2*pi*x)
    pressure: 2.5
  boundary: {south: {kind: reflecting}, north: {kind: outflow}}
time: %s
"""

SHALLOW_WATER = """
physics: shallow-water
mesh: {cells: [%d, 50], upper: [1, 1]}
shallow-water:
  initial: {depth: "x < 0.4 ? 1 : 0.1"}
time: {courant: 0.7, end: %s}
"""

ADVECTION = """
physics: advection
mesh: {cells: [%d, 72], lower: [-1, -1]}
advection:
  velocity: {x: -2*pi*y, y: 2*pi*x}
  diffusivity: 0.01
  initial: max(0, 1 - 4*sqrt((x - 0.5)^2 + y^2))
time: %s
%s
"""

CG = "{method: cg, cg: {preconditioner: multigrid, relative_tolerance: 1e-9}}"
CG_SINGLE = ("{method: cg, cg: {preconditioner: multigrid, relative_tolerance: 1e-9, "
             "multigrid: {precision: single}}}")
CHEBYSHEV = "{method: chebyshev, chebyshev: {relative_tolerance: 1e-8}}"
GMRES = "solver: {method: gmres, gmres: {relative_tolerance: 1e-9}}"


class Deck:
    """`is_explicit`: fields have the same bits on any number of ranks; `halves`: the options to halve for a run that finishes
    and is continued: (option, half)."""

    def __init__(self, name, text, is_explicit, halves=None):
        self.name, self.text, self.is_explicit, self.halves = name, text, is_explicit, halves


def steps(method, size, count):
    return f"{{method: {method}, step: {size}, steps: {count}}}"


def all_decks():
    def by_steps(name, text, is_explicit, count, snapshots=20):
        return Deck(name, text + OUTPUT % snapshots, is_explicit, ("time.steps", count // 2))

    def by_time(name, text, is_explicit, end, steps=40):
        # Both runs have a step that ends at the middle, since a snapshot is due there. With error control their first
        # steps are equal only if the deck gives them: otherwise the first step is a fraction of the duration.
        times = f"\noutput:\n  scalars: {{interval: 3}}\n  snapshots: {{interval: {steps}, time_interval: {end / 4}}}\n"
        return Deck(name, text + times, is_explicit, ("time.end", end / 2))

    decks = []
    for method in ("implicit_euler", "crank_nicolson", "sdirk2", "bdf2", "theta"):
        decks.append(by_steps(f"heat, {method}", HEAT % (80, 90, steps(method, 0.002, 120), CG), False, 120))
    decks += [
        by_steps("heat, chebyshev", HEAT % (60, 70, steps("bdf2", 0.002, 80), CHEBYSHEV), False, 80),
        by_steps("heat, cycles in single precision", HEAT % (96, 64, steps("crank_nicolson", 0.002, 100), CG_SINGLE),
                 False, 100),
        by_steps("heat, rkl2", HEAT % (90, 80, steps("rkl2", 0.001, 150), CG), True, 150),
        by_time("heat, courant", HEAT % (50, 60, "{method: ssp_rk2, courant: 0.9, end: 0.2}", CG), True, 0.2, 200),
        by_steps("gray-scott, rk4", GRAY_SCOTT % (90, 70, steps("rk4", 1, 300)), True, 300),
        by_time("gray-scott, dormand_prince", GRAY_SCOTT % (80, 90, "{method: dormand_prince, step: 0.4, end: 400}"), True, 400.0),
        by_time("gray-scott, bogacki_shampine", GRAY_SCOTT % (70, 90, "{method: bogacki_shampine, step: 0.3, end: 300}"), True,
                300.0),
        by_steps("gray-scott, imex_ars222", GRAY_SCOTT % (64, 60, steps("imex_ars222", 2, 60)), False, 60),
        by_steps("gray-scott, imex_ark3", GRAY_SCOTT % (64, 60, steps("imex_ark3", 2, 40)), False, 40),
        by_steps("two-temperature, bdf2", TWO_TEMPERATURE, False, 60),
        by_steps("fisher-kpp, imex_ars222", FISHER_KPP % steps("imex_ars222", 0.02, 60), False, 60),
        by_steps("wave, leapfrog", WAVE % ("single", 200), True, 200),
        by_steps("wave, leapfrog in double precision", WAVE % ("double", 120), True, 120),
        by_steps("wave, weighted_sum", WEIGHTED_SUM % 400, True, 400),
        by_steps("nbody", NBODY % ("double", 400, 250), False, 250),
        by_steps("nbody in single precision", NBODY % ("single", 300, 300), False, 300),
        by_time("euler, plm", EULER % (80, 90, "limiter: mc", "{method: ssp_rk2, courant: 0.4, end: 0.3}"), True, 0.3),
        by_time("euler, weno5", EULER % (70, 64, "reconstruction: weno5\n  riemann: hll",
                                         "{method: ssp_rk3, courant: 0.4, end: 0.2}"), True, 0.2),
        by_time("shallow-water", SHALLOW_WATER % (80, "0.3"), True, 0.3),
        by_time("advection, rk4", ADVECTION % (64, "{method: rk4, courant: 0.9, end: 0.4}", ""), True, 0.4),
        by_steps("advection, sdirk2", ADVECTION % (48, steps("sdirk2", 0.01, 40), GMRES), False, 40),
    ]
    return decks

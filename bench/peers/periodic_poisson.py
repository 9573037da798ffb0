#!/usr/bin/env python3
"""Poisson's equation on a periodic cube by cuFFT: the time of a direct solver on a GPU, for comparison with full multigrid.

-laplace(u) = f at n^3 points in double precision: a real transform, a product with the inverse of the discrete
7-point operator's eigenvalues, and the inverse transform, by CuPy. Checked on random data by applying the operator; timed by
events, median of `--repeat` runs.

    bench/peers/periodic_poisson.py --cells 512 --json bench/results/periodic_poisson_cufft_h100.json
"""
import argparse
import datetime
import json
import pathlib
import statistics

import cupy
import cupyx.scipy.fft

scale_and_divide = cupy.ElementwiseKernel(
    "complex128 z, float64 ex, float64 ey, float64 ez", "complex128 out",
    "double e = ex + ey + ez; out = e > 0 ? z / e : complex<double>(0)", "scale_and_divide")


def eigenvalues(n, count):
    """Eigenvalues of the second difference along an axis, at `count` frequencies."""
    return (2 * n * cupy.sin(cupy.pi * cupy.arange(count) / n)) ** 2


class Solver:
    def __init__(self, n):
        whole, half = eigenvalues(n, n), eigenvalues(n, n // 2 + 1)
        self.along = whole[:, None, None], whole[None, :, None], half[None, None, :]

    def __call__(self, f):
        transformed = cupyx.scipy.fft.rfftn(f)
        scale_and_divide(transformed, *self.along, transformed)
        return cupyx.scipy.fft.irfftn(transformed, s=f.shape, overwrite_x=True)


def residual(u, f):
    image = 6 * u
    for axis in range(3):
        image -= cupy.roll(u, 1, axis) + cupy.roll(u, -1, axis)
    image *= u.shape[0] ** 2
    return float(cupy.linalg.norm((image - f).ravel()) / cupy.linalg.norm(f.ravel()))


def seconds(work):
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    work()
    end.record()
    end.synchronize()
    return 1e-3 * cupy.cuda.get_elapsed_time(begin, end)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, nargs="+", default=[512], help="along each axis")
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--commit", help="of the checkout, kept in the result")
    parser.add_argument("--json", help="where the result goes")
    given = parser.parse_args()
    rows = []
    for n in given.cells:
        solve = Solver(n)
        f = cupy.random.standard_normal((n, n, n))
        f -= f.mean()
        left = residual(solve(f), f)
        if not left < 1e-9:
            raise SystemExit(f"periodic_poisson: {n}^3 leaves {left:.2e} of the right-hand side")
        times = sorted(seconds(lambda: solve(f)) for _ in range(given.repeat + 2))
        rows.append({"cells": n, "residual": left, "seconds": times, "median_seconds": statistics.median(times)})
        print(f"{n}^3: residual {left:.1e}, {1e3 * rows[-1]['median_seconds']:.3f} ms", flush=True)
        cupy.get_default_memory_pool().free_all_blocks()
    if given.json:
        device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        result = {"machine": device, "date": datetime.date.today().isoformat(), "commit": given.commit,
                  "command": "bench/peers/periodic_poisson.py --cells " + " ".join(map(str, given.cells)),
                  "cupy": cupy.__version__, "rows": rows}
        pathlib.Path(given.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

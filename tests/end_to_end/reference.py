"""Reference values for tests of fields: `random(seed)`, weighted sums over a star and positions, by NumPy alone."""

import numpy

# XXH64's primes, from its specification.
PRIMES = [numpy.uint64(prime) for prime in (
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)]


def centres(cells, upper=1.0):
    """Centres of the cells of an axis from 0 to `upper`."""
    return (upper / cells) * (numpy.arange(cells) + 0.5)


def nodes(cells):
    """Nodes of an axis from 0 to 1."""
    return numpy.append((1.0 / cells) * numpy.arange(cells), 1.0)


def rotated(words, bits):
    return (words << numpy.uint64(bits)) | (words >> numpy.uint64(64 - bits))


def random(seed, x, y, z):
    """`random(seed)` at positions that broadcast to one shape: XXH64 of the 24 bytes of x, y and z."""
    first, second, third, fourth, fifth = PRIMES
    with numpy.errstate(over="ignore"):
        code = numpy.uint64(seed) + fifth + numpy.uint64(24)
        for coordinate in (x, y, z):
            word = (numpy.asarray(coordinate, float) + 0.0).view(numpy.uint64)
            code = rotated(code ^ (rotated(word * second, 31) * first), 27) * first + fourth
        code = (code ^ (code >> numpy.uint64(33))) * second
        code = (code ^ (code >> numpy.uint64(29))) * third
        code = code ^ (code >> numpy.uint64(32))
    return (code >> numpy.uint64(11)).astype(float) * 2.0**-53


def random_cells(seed, cells):
    """`random(seed)` on the cells [nx, ny, nz] of the unit cube, indexed [z, y, x]."""
    x, y, z = (centres(n) for n in cells)
    return random(seed, x[None, None, :], y[None, :, None], z[:, None, None])


def linear(positions, values, where, axis):
    """Interpolates `values` at increasing `positions` along an axis linearly to other positions; constant beyond the ends."""
    upper = numpy.clip(numpy.searchsorted(positions, where, "right"), 1, max(len(positions) - 1, 1))
    lower = upper - 1
    if len(positions) == 1:
        return numpy.take(values, numpy.zeros(len(where), int), axis)
    weight = numpy.clip((where - positions[lower]) / (positions[upper] - positions[lower]), 0, 1)
    weight = weight.reshape([-1 if a == axis else 1 for a in range(values.ndim)])
    return (1 - weight) * numpy.take(values, lower, axis) + weight * numpy.take(values, upper, axis)


def weighted_sum(values, weights, steps):
    """`steps` sums of each value and its neighbours at distance 1 to 4 along each axis, times the weight of the distance, with
    zeros beyond the ends; in the type of `values`."""
    reach = len(weights) - 1
    weights = [values.dtype.type(weight) for weight in weights]
    inside = tuple(slice(reach, -reach) for _ in values.shape)
    for _ in range(steps):
        padded = numpy.pad(values, reach)
        values = weights[0] * values
        for axis in range(padded.ndim):
            for distance in range(1, reach + 1):
                for side in (-distance, distance):
                    values = values + weights[distance] * numpy.roll(padded, side, axis)[inside]
    return values

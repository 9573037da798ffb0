"""The five documents that the studies of this project began with, a module for each section of docs/seeds.md. A row has what
the document says, which is typed, where this project has the same, and what was measured here, which comes from records."""

from . import cluster, jacobi_line, laplacian, several_devices, sums  # noqa: F401  (they register their tables)

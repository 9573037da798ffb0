"""The tables of the pages in docs, by what they are about: {name: function that makes its rows}."""
from . import designs, devices, exchanges, hosts, laplacians, seeds, studies  # noqa: F401  (they register their tables)
from .records import TABLES

__all__ = ["TABLES"]

"""Everything of LatticeLens that works without a browser."""

__version__ = "0.1.0"

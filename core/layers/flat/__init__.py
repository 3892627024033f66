"""FLAT's relative attention over a lattice (Li et al. 2020)."""

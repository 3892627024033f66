"""The Lattice LSTM (Zhang and Yang 2018)."""

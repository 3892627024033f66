"""Hidden states and vectors: projections, probes, word senses."""

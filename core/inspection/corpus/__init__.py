"""What a tagger does over many documents: errors, calibration, comparisons of runs."""

"""What a tagger did and why. Nothing is imported here: some of it needs torch, some no more than numpy."""

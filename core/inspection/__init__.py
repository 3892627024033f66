"""What a tagger did and why. Nothing is imported here, as some modules need torch and others only numpy."""

"""Training services of the app: start, follow, judge, retrain automatically."""

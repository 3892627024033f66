"""Training services of the app: start, follow, compare with the ledger, retrain automatically."""

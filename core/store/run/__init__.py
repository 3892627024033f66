"""Runs, their predictions, the ledger of corrections, and snapshots of the corpus."""

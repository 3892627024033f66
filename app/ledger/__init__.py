"""The Ledger page: every correction under each run."""

"""Who may log in with a password: the file of accounts."""

"""How commands speak to a terminal: errors, progress, interruption."""

"""Who may come in, and who is in: passwords, sessions, and what happens at the door."""

"""Terminal output of commands: errors, progress, interruption."""

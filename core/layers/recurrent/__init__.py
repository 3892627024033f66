"""Networks that read a sentence unit by unit."""

"""The SQLite file: opening, schema, backup, damage, and what may be written into a cell."""

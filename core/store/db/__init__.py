"""The SQLite file: opening, schema, backup, damage checks and validation of cells."""

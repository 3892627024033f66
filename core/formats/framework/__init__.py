"""The framework of formats: sources, records, reading, writing, offset conventions, the registry."""

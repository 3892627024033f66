"""What formats are made of: sources, records, reading and writing, conventions of offsets, the registry."""

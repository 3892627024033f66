"""Ray: a session of it, its machines, and a function run by several of its workers at once."""

"""The process and its door: flags, listening, login, what other web sites may do."""

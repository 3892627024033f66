"""The server process: flags, listening, login, and protection against other web sites."""

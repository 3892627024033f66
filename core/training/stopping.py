"""The exception of a run that was asked to stop."""


class Stopped(Exception):
    """The run was asked to stop and did; it can be resumed."""

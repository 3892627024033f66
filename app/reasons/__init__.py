"""What core refuses, in Chinese: a table for each room, and the look-up."""

from app.reasons.reading import reason_in

__all__ = ["reason_in"]

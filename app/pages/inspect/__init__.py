"""The Inspect page: one sentence, or the whole corpus, through one tagger."""

from app.inspect.page import InspectComponents, layout, wire

__all__ = ["InspectComponents", "layout", "wire"]

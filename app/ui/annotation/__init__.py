"""Saving an annotation, correcting what a tagger predicts where it stands, and linking spans, on any page."""

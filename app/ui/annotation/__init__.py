"""Saving an annotation from any page, and correcting what a tagger predicts where it stands."""

"""Adjudication, reviewers' decisions, and activity statistics."""

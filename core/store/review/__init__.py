"""Adjudication, decisions of reviewers, and what people did."""

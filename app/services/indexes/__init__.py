"""Indexes of a workspace's texts in memory, and what is looked up in them."""

"""Uploaded files read: documents in any format, word lists."""

"""A BERT run as a folder that transformers loads."""

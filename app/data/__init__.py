"""The Data page: import, documents, export."""

"""The guided tour of the demo project."""

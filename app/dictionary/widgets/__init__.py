"""The components of the Dictionary page that have scripts of their own."""

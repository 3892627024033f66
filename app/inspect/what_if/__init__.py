"""The what-if panel: a sentence edited, its variants, and cases kept as tests."""

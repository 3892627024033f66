"""Learning without full labels: language models pretrained on raw text."""

"""Which document to label next: acquisition functions, and a simulation of annotation under them."""

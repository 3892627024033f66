"""Which document to label next: the orders of the queue, one strategy a file."""

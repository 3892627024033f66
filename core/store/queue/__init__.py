"""Which documents come next: filters, orders, scores."""

"""What taggers are made of: the interface, sequence tagging, features, traces, model folders."""

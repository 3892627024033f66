"""What taggers are built from: the interface, sequence tagging, features, traces, model folders."""

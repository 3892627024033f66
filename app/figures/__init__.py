"""Pure functions: a trace or scores in, a plotly figure out."""

"""The span annotator: the component, what its script may call, and the checks of what it sends."""

"""Knowledge bases of a project: import, search, and the links that spans have to their entries."""

"""The labels of a project, and changing them with everything that carries them."""

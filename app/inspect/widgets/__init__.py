"""Components of the Inspect page that are drawn as HTML."""

"""The Annotate page: queue, annotator, suggestions, comments and bulk edits."""

"""The Annotate page: the queue, the text with its marks, suggestions, comments, edits of many documents."""

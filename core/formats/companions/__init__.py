"""Files that another tool needs beside the documents of a format: which types occur, how they are shown."""

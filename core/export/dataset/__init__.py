"""A project as a data set of the hub: a folder of files with a card."""

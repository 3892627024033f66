"""The Review page: annotators' versions of a document merged into one."""

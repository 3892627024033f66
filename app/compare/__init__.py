"""The Compare page: runs on the same documents."""

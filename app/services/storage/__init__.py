"""Where a workspace is kept: its lock, backups and snapshots, and files that are only there for a while."""

"""Watches the job queue and takes finished runs into the store."""

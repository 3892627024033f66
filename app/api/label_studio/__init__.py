"""A machine learning backend of Label Studio: its taggers' suggestions come from here."""

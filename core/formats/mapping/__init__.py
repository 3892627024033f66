"""Which fields of a file hold what, said by a person or guessed, for files that no format knows."""

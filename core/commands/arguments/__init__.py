"""Arguments that several commands take: corpora, models, settings, labels."""

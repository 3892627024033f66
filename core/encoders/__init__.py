"""Text to vectors: vocabularies, embedding tables, pretrained vectors, transformers and ELMo."""

"""A language model behind an OpenAI-compatible address, asked for spans text by text."""

"""The bidirectional language model of ELMo, trained on raw text."""

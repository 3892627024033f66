"""The Dictionary page: word lists, discovery, evaluation, distant labels and PU learning."""

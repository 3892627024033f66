"""The Dictionary page: word lists, what they find, and learning from them."""

"""What the process needs before it does anything with text: messages for people, optional packages."""

"""What stands around every page: theme, navigation, status bar, banner, command palette."""

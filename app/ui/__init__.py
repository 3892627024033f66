"""What all pages share on the screen: the frame, the theme, the status bar."""

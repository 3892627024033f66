"""What Gradio does for every page, event and file that this app does in another way, or not at all."""

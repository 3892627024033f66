"""The limits of requests and of what they bring, at the door of the app."""

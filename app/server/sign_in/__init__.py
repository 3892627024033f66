"""The door of an app with logins: the login page, who a request is from, and the other ways in."""

"""The terminal: what every command shares."""

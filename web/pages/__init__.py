"""Pages of runs and reviewed games, for files and for the server."""

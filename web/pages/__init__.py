"""Pages of runs and of reviewed games, as files and as what the server shows."""

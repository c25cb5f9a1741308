"""sprint: a small net where search does not reach, bounded search after."""

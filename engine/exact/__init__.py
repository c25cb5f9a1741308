"""The exact solution: search, distance to a win, and the book of all positions to six pieces."""

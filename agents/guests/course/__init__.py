"""Players of courses, as they are: the process that they live in, and the game that they expect."""

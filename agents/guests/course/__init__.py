"""Players of courses, unchanged: the process that hosts them, and the game that they expect."""

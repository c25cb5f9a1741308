"""Quarto on the terminal: a person or any two players."""

import console as console  # first: it handles Ctrl-C

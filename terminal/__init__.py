"""Quarto on the terminal: a person or any two players."""

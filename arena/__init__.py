"""Matches: who meets whom, and what came of it."""

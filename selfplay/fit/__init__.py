"""Supervised learning: positions and turns with exact labels, and what is fitted to them."""

"""Compilation: how a Python function becomes machine code, and why an edit is never missed."""

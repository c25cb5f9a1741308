"""What can be wrong with a run, in one line that names the file."""


class StoreError(Exception):
    """Shown to people as it is, without a traceback."""

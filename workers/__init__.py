"""Distributed tasks on Ray. This is the only package that imports ray.

`Workers.run` (pool.py) takes an iterable of tasks and yields (id, result) in any order. The path of
a task through the files is in docs/architecture.md, as the walk of one game of a tournament.
"""

import console as console  # first: it handles Ctrl-C during imports

"""`python -m tests.hasty MODULE ...` is `python -m MODULE ...`, but keeps every result at once, so
that tests need not wait for the first part of a step."""

import importlib
import sys

import evo.islands
import store.parts

if __name__ == "__main__":
    store.parts.SAVE_EVERY, evo.islands.TASK_SECONDS = 0.0, 0.05
    sys.exit(importlib.import_module(sys.argv[1]).main(sys.argv[2:]))

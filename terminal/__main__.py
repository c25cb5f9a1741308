"""`python -m terminal`: see terminal/game.py."""

import sys

from terminal.game import main

if __name__ == "__main__":
    sys.exit(main())

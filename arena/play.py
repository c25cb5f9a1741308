"""`python -m arena.play`. Never imported: the package has a function of this name."""

import sys

from arena.terminal import main

if __name__ == "__main__":
    sys.exit(main())

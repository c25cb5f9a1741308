"""`python -m terminal`. Never imported: the package has a function of this name."""

import sys

from terminal.game import main

if __name__ == "__main__":
    sys.exit(main())

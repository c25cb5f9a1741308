"""`python -m arena.accuracy`. Never imported: the package has a function of this name."""

import sys

from arena.measure_accuracy import main

if __name__ == "__main__":
    sys.exit(main())

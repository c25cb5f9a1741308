"""`python -m oracle.accuracy`. Never imported, since the package has a function of this name."""

import sys

from oracle.measure_accuracy import main

if __name__ == "__main__":
    sys.exit(main())

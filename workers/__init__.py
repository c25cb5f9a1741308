"""Tasks on Ray: the only package that imports it."""

import console as console  # first: it hears Ctrl-C

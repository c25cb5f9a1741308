import console as console  # first: it hears Ctrl-C

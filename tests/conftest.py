"""What every test starts from, whatever started the tests."""

import signal
import sys

import hypothesis

# commands that are called in this process print `python -m ...`
sys.orig_argv[:1] = ["python"]

# a shell that runs the tests in the background lets them, and what they start, ignore Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)

# the first call of a kernel may load it from disk, and a busy machine is no error
hypothesis.settings.register_profile("kernels", deadline=None)
hypothesis.settings.load_profile("kernels")

"""Property tests have no deadline: the first call of a kernel compiles it. Commands that are called
in this process print `python -m ...`, however the tests were started."""

import sys

import hypothesis

sys.orig_argv[:1] = ["python"]

hypothesis.settings.register_profile("kernels", deadline=None)
hypothesis.settings.load_profile("kernels")

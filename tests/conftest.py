"""Property tests have no deadline: the first call of a kernel compiles it."""

import hypothesis

hypothesis.settings.register_profile("kernels", deadline=None)
hypothesis.settings.load_profile("kernels")

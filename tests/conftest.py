"""Kernels are compiled once, by whoever starts the tests, before the tests are shared out among processes."""


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        import selfplay.dataset
        import selfplay.run  # noqa: F401

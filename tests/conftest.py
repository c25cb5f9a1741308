"""Kernels are compiled once, by whoever starts the tests, before the tests are shared out among processes."""


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        import evo.run  # noqa: F401

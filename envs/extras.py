"""Optional libraries: an import error that says how to install the missing one."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str, module: str) -> Iterator[None]:
    """Wrap imports that need `pip install -e '.[name]'`; raise ImportError with that hint."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "more").partition(".")[0]
        command = f"pip install -e '.[{name}]'"
        raise ImportError(f"{module} needs {library}: {command}", name=library) from None

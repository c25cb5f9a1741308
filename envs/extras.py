"""Libraries that not everybody has: who needs one and has it not is told how to get it."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around the imports of what `pip install 'quarto-evo[name]'` brings."""
    try:
        yield
    except ModuleNotFoundError as error:
        how = f"pip install 'quarto-evo[{name}]'"
        raise ImportError(f"no module {error.name!r} here: {how}", name=error.name) from None

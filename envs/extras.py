"""Libraries that not everybody has: who needs one and has it not is told how to get it."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str, who: str) -> Iterator[None]:
    """Around the imports of what `pip install 'quarto-evo[name]'` brings, in the module `who`."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "more").partition(".")[0]
        how = f"pip install 'quarto-evo[{name}]'"
        raise ImportError(f"{who} needs {library}: {how}", name=library) from None

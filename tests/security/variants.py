"""All hostile variants of genuine runs. Each differs from the genuine run in one thing, as if an
attacker had sent it."""

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from store import Run
from tests.security.file_variants import bombs_of, files_of
from tests.security.stored_variants import (
    Change,
    Place,
    abouts_of,
    change_about,
    columns_of,
    firsts,
    paths_of,
    rewrite,
)


class Variant(NamedTuple):
    """A change of one genuine run. `kind`: the name of that run; `what`: the name of the change."""

    kind: str
    what: str
    change: Change


# Variants that name code to execute


def specs_of(kind: str, run: Run) -> Iterator[tuple[str, Change]]:
    texts = ("program:touch {mark}", "{run}/bad.py:Bad", "champion:run={run}")
    every, about = run.steps(), run.about(run.steps()[0])
    for text in texts:
        for path in paths_of(about["config"], ("config",)):
            yield (
                f"{'.'.join(map(str, path))} {text}",
                partial(name_code, steps=every, path=path, text=text),
            )
    if kind == "evolution":
        yield "a champion with a source", partial(name_source, step="mind")


def name_code(place: Place, steps: list[str], path: tuple, text: str) -> None:
    write_code(place)
    change_about(place, steps, path, text.format(run=place.run, mark=place.mark))


def write_code(place: Place) -> str:
    text = f"open({str(place.mark)!r}, 'w')\nclass Bad: pass\n"
    (place.run / "bad.py").write_text(text)
    return text


def name_source(place: Place, step: str) -> None:
    source = [str(place.run / "bad.py"), write_code(place), []]
    champion = {"base": "bad.py:Bad", "parameters": [1.0], "source": source}
    about = Run(str(place.run)).about(step)
    about["measured"] |= {"holds": "champion", "champion": champion}
    rewrite(place.run, step, about=about)


def every_variant(runs: dict[str, Path]) -> list[Variant]:
    """Return all variants, in a fixed order."""
    variants = []
    for kind, path in runs.items():
        run = Run(str(path))
        changes = [
            pair for step in firsts(run.steps()) for pair in columns_of(step, run.read(step))
        ]
        changes += [*abouts_of(run), *files_of(run), *bombs_of(run), *specs_of(kind, run)]
        variants += [Variant(kind, what, change) for what, change in changes]
    return variants


def choose(variants: list[Variant], count: int, seed: int) -> list[Variant]:
    return random.Random(seed).sample(variants, min(count, len(variants)))

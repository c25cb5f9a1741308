"""Variants of genuine runs, each with one thing changed, as an attacker could send them.

Fields are those that the runs have: a new column or a new key of the metadata has its variants the
day it is added.
"""

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from store import Run
from store.parquet import KEY, pack

ESCAPES = "\x1b[2J\x1b]0;gone\x07"
LINK = '<a href="javascript:hostile()">hostile</a>'
SCRIPT = "</script><script>hostile()</script>"
TEXTS = {"html": SCRIPT, "link": LINK, "escapes": ESCAPES, "long": "x" * 300_000}
MILLIONS = 20_000_000


class Place(NamedTuple):
    """Where a variant lies. `victim` and `mark` are outside; nothing may touch the one or make the
    other."""

    run: Path
    victim: Path
    mark: Path


# returns the run if it is not the one that was given
Change = Callable[[Place], Path | None]


class Variant(NamedTuple):
    """`kind`: the genuine run that is changed."""

    kind: str
    what: str
    change: Change


# of a step, as it is written whatever it holds


def rewrite(run: Path, step: str, table: pa.Table | None = None, about: Any = None) -> None:
    there = Run(str(run))
    table = there.read(step) if table is None else table
    about = there.about(step) if about is None else about
    (run / f"{step}.parquet").unlink()
    (run / f"{step}.parquet").write_bytes(pack(table, about))


def filled(column: pa.ChunkedArray, value: Any) -> pa.Array:
    return pa.array([value] * len(column))


COLUMNS: dict[str, Callable[[pa.ChunkedArray], pa.Array]] = {
    **{name: partial(filled, value=value) for name, value in TEXTS.items()},
    "null": lambda column: pa.nulls(len(column), column.type),
    "all null": lambda column: pa.nulls(len(column)),
    "huge": partial(filled, value=2**62),
    "negative": partial(filled, value=-1),
    "zero": partial(filled, value=0),
    "not a number": partial(filled, value=float("nan")),
    "infinite": partial(filled, value=float("inf")),
    "lists": partial(filled, value=[1, 2, 300]),
    "lists of text": partial(filled, value=[ESCAPES]),
    "structs": partial(filled, value={"a": 1}),
    "bytes": partial(filled, value=b"\xff\x00"),
}


def change_column(place: Place, step: str, column: str, how: str) -> None:
    table = Run(str(place.run)).read(step)
    at = table.column_names.index(column)
    rewrite(place.run, step, table.set_column(at, column, COLUMNS[how](table[column])))


def drop_column(place: Place, step: str, column: str) -> None:
    rewrite(place.run, step, Run(str(place.run)).read(step).drop_columns([column]))


def double_column(place: Place, step: str, column: str) -> None:
    table = Run(str(place.run)).read(step)
    rewrite(place.run, step, table.append_column(column, table[column]))


def rename_column(place: Place, step: str, column: str) -> None:
    table = Run(str(place.run)).read(step)
    names = [ESCAPES + LINK if name == column else name for name in table.column_names]
    rewrite(place.run, step, table.rename_columns(names))


def columns_of(step: str, table: pa.Table) -> Iterator[tuple[str, Change]]:
    for column in table.column_names:
        for how in COLUMNS:
            yield (
                f"{step}.{column} {how}",
                partial(change_column, step=step, column=column, how=how),
            )
        for name, change in (
            ("missing", drop_column),
            ("twice", double_column),
            ("renamed", rename_column),
        ):
            yield f"{step}.{column} {name}", partial(change, step=step, column=column)


# of the metadata

MISSING = object()
VALUES = {
    **TEXTS,
    "null": None,
    "huge": 2**70,
    "negative": -1,
    "zero": 0,
    "not a number": float("nan"),
    "infinite": float("inf"),
    "true": True,
    "list": [],
    "lists": [[["deep"]]],
    "dictionary": {},
    "missing": MISSING,
    "other type": {SCRIPT: ESCAPES},
}


def paths_of(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Every place in the metadata, the whole included."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else ()
    inside = list(enumerate(value))[:2] if isinstance(value, list) else inside
    for key, inner in inside:
        yield from paths_of(inner, (*path, key))


def change_about(place: Place, steps: list[str], path: tuple, value: Any) -> None:
    for step in steps:
        about = Run(str(place.run)).about(step)
        inside = about
        for key in path[:-1]:
            inside = inside[key]
        if value is MISSING:
            del inside[path[-1]]
        else:
            inside[path[-1]] = value
        rewrite(place.run, step, about=about)


def abouts_of(run: Run) -> Iterator[tuple[str, Change]]:
    """Of the configuration in all steps alike; of the rest in the first step of each kind."""
    every = run.steps()
    for step in firsts(every):
        about = run.about(step)
        for path in paths_of(about):
            whole = path[0] in ("config", "kind")
            if path[0] == "sealed" or (whole and step != every[0]):
                continue
            for name, value in VALUES.items():
                steps = every if whole else [step]
                yield (
                    f"{step} {'.'.join(map(str, path))} {name}",
                    partial(change_about, steps=steps, path=path, value=value),
                )


def firsts(steps: list[str]) -> list[str]:
    """One step of each kind."""
    return list({step.partition("-")[0]: step for step in steps[::-1]}.values())[::-1]


# of files


def write_bytes(place: Place, step: str, change: Callable[[bytes], bytes]) -> None:
    file = place.run / f"{step}.parquet"
    file.write_bytes(change(file.read_bytes()))


def link(place: Place, name: str, target: str) -> None:
    """`target`: the victim, nothing, itself, or /dev/zero."""
    (place.run / name).unlink(missing_ok=True)
    targets = {"victim": place.victim, "nothing": place.mark, "itself": place.run / name}
    (place.run / name).symlink_to(targets.get(target, target))


def link_folder(place: Place, to_run: bool) -> None:
    """The run is a link to the victim, or to another run outside."""
    outside = place.victim.parent / "run"
    if to_run:
        shutil.copytree(place.run, outside)
    shutil.rmtree(place.run)
    place.run.symlink_to(outside if to_run else place.victim)


def make_folder(place: Place, name: str) -> None:
    (place.run / name).unlink(missing_ok=True)
    (place.run / name).mkdir()


def make_pipe(place: Place, name: str) -> None:
    (place.run / name).unlink(missing_ok=True)
    os.mkfifo(place.run / name)


def copy_step(place: Place, step: str, name: str) -> None:
    about = Run(str(place.run)).about(step) | {"step": name}
    table = Run(str(place.run)).read(step)
    (place.run / f"{name}.parquet").write_bytes(pack(table, about))


def rename(place: Place, name: bytes) -> Path:
    """The run of an odd name, beside the one that is there."""
    renamed = place.run.parent / os.fsdecode(name)
    return shutil.copytree(place.run, renamed)


def files_of(run: Run) -> Iterator[tuple[str, Change]]:
    damage: dict[str, Callable[[bytes], bytes]] = {
        "truncated": lambda data: data[:-40],
        "empty": lambda data: b"",
        "of zeros": lambda data: bytes(len(data)),
        "one bit": lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
        "not sealed": lambda data: data.replace(b"CRC1", b"CRC0"),
    }
    for step in firsts(run.steps()):
        for name, change in damage.items():
            yield f"{step} {name}", partial(write_bytes, step=step, change=change)
        for target in ("victim", "nothing", "itself", "/dev/zero"):
            yield f"{step} -> {target}", partial(link, name=f"{step}.parquet", target=target)
        for what in (make_folder, make_pipe):
            yield f"{step} {what.__name__}", partial(what, name=f"{step}.parquet")
        name = step.partition("-")[0]
        for other in (f"{name}-9999999999", f"{name}-{ESCAPES}", f"part-{step}-00000"):
            yield f"{step} as {other!r}", partial(copy_step, step=step, name=other)
        yield f"{step} no rows", partial(no_rows, step=step)
    for name in ("report.html", ".lock"):
        for target in ("victim", "nothing", "itself"):
            yield f"{name} -> {target}", partial(link, name=name, target=target)
        for what in (make_folder, make_pipe):
            yield f"{name} {what.__name__}", partial(what, name=name)
    yield "the folder -> victim", partial(link_folder, to_run=False)
    yield "the folder -> a run", partial(link_folder, to_run=True)
    for name in (b"not\xfftext", b"\x1b[2J", b"<script>hostile()", b"a\nb", b"-rf", b"x,run=y"):
        yield f"called {name!r}", partial(rename, name=name)


def no_rows(place: Place, step: str) -> None:
    rewrite(place.run, step, Run(str(place.run)).read(step).slice(0, 0))


# what is small on disk and large in memory


def many_rows(place: Place, step: str) -> None:
    table = Run(str(place.run)).read(step)
    rewrite(place.run, step, table.take(np.zeros(MILLIONS // max(1, table.num_columns), int)))


def many_numbers(place: Place, step: str) -> None:
    names = Run(str(place.run)).read(step).column_names
    rewrite(place.run, step, pa.table(dict.fromkeys(names, np.zeros(MILLIONS, np.int8))))


def one_long_list(place: Place, step: str) -> None:
    values = pa.array(np.zeros(MILLIONS, np.int8))
    names = Run(str(place.run)).read(step).column_names
    table = pa.table({name: pa.ListArray.from_arrays([0, MILLIONS], values) for name in names})
    rewrite(place.run, step, table)


def one_text_often(place: Place, step: str) -> None:
    """A megabyte that Parquet keeps once and Arrow copies thousands of times."""
    names = Run(str(place.run)).read(step).column_names
    about = Run(str(place.run)).about(step)
    column = pa.DictionaryArray.from_arrays(np.zeros(3000, np.int32), ["x" * 1_000_000])
    file = place.run / f"{step}.parquet"
    metadata = {KEY: json.dumps(about | {"sealed": False}).encode()}
    table = pa.table(dict.fromkeys(names, column))
    file.unlink()
    # without Arrow's own schema, by which the column would stay a dictionary
    with pq.ParquetWriter(file, table.schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(metadata)


def long_about(place: Place, step: str) -> None:
    about = Run(str(place.run)).about(step)
    rewrite(place.run, step, about=about | {"config": {"x": [0] * 10_000_000}})


def deep_about(place: Place, step: str) -> None:
    about = json.dumps(Run(str(place.run)).about(step) | {"config": "HERE"})
    text = about.replace('"HERE"', "[" * 100_000 + "]" * 100_000)
    table = Run(str(place.run)).read(step).replace_schema_metadata({KEY: text.encode()})
    file = place.run / f"{step}.parquet"
    file.unlink()
    pq.write_table(table, file)


BOMBS = (many_rows, many_numbers, one_long_list, one_text_often, long_about, deep_about)


def bombs_of(run: Run) -> Iterator[tuple[str, Change]]:
    for step in firsts(run.steps()):
        for bomb in BOMBS:
            yield f"{step} {bomb.__name__}", partial(bomb, step=step)


# what executes


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
    """All that there are, in order."""
    variants = []
    for kind, path in runs.items():
        run = Run(str(path))
        made = [one for step in firsts(run.steps()) for one in columns_of(step, run.read(step))]
        made += [*abouts_of(run), *files_of(run), *bombs_of(run), *specs_of(kind, run)]
        variants += [Variant(kind, what, change) for what, change in made]
    return variants


def choose(variants: list[Variant], count: int, seed: int) -> list[Variant]:
    return random.Random(seed).sample(variants, min(count, len(variants)))

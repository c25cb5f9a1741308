"""Hostile variants of a run's files: damaged bytes, links, odd names, and decompression bombs."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from store import Run
from store.parquet import KEY, pack
from tests.security.stored_variants import ESCAPES, Change, Place, firsts, rewrite

MILLIONS = 20_000_000


def write_bytes(place: Place, step: str, change: Callable[[bytes], bytes]) -> None:
    file = place.run / f"{step}.parquet"
    file.write_bytes(change(file.read_bytes()))


def link(place: Place, name: str, target: str) -> None:
    """Replace a file by a link. `target`: 'victim', 'nothing', 'itself', or a path."""
    (place.run / name).unlink(missing_ok=True)
    targets = {"victim": place.victim, "nothing": place.mark, "itself": place.run / name}
    (place.run / name).symlink_to(targets.get(target, target))


def link_folder(place: Place, to_run: bool) -> None:
    """Replace the run by a link to another run outside, or to the victim."""
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
    """Copy the run to an odd name beside it."""
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


# Bombs: small on disk, large in memory


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
    """Store a text of a megabyte once, which Arrow would copy thousands of times."""
    names = Run(str(place.run)).read(step).column_names
    about = Run(str(place.run)).about(step)
    column = pa.DictionaryArray.from_arrays(np.zeros(3000, np.int32), ["x" * 1_000_000])
    file = place.run / f"{step}.parquet"
    metadata = {KEY: json.dumps(about | {"sealed": False}).encode()}
    table = pa.table(dict.fromkeys(names, column))
    file.unlink()
    # with Arrow's own schema the column would remain a dictionary
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

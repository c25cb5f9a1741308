"""A run: one Parquet file a step, whose presence is the commit.

    with Run("runs/tournament-0", "tournament", config) as run:     one writer at a time; half-written leftovers are swept
        if not run.has("match-0003"):
            run.write("match-0003", table)                          written whole, then renamed
    Run("runs/tournament-0").read("match-0003")                     readers need no lock

The schema metadata of every file carries, as JSON under the key `quarto-evo`: format version, kind of run, configuration (seed included), step, and
what was measured. So any prefix of a run is complete in itself, and anything that reads Parquet reads it.
"""

import io
import json

import pyarrow as pa
import pyarrow.parquet as parquet

from store import lock
from store.errors import StoreError
from store.folder import Folder
from store.reading import read_table

FORMAT = 1
KEY = b"quarto-evo"
ENDING = ".parquet"


class Run:
    """Reading: `Run(address)`. Writing: as a context, with the kind of run and its configuration."""

    def __init__(self, address: str, kind: str | None = None, config: dict | None = None, mend: tuple[str, ...] = ()):
        self.place, self.kind, self.config, self.mend = Folder(address), kind, config, mend
        self._release = None

    @property
    def address(self) -> str:
        return self.place.address

    def __enter__(self) -> "Run":
        self.place.make()
        self._release = lock.take(self.place)
        self.place.patient = self.place.remote
        try:
            self.place.sweep()
            for prefix in self.mend:
                self._drop_if_damaged(prefix)
            self._check_config()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        if self._release:
            self._release()
            self._release = None

    def _drop_if_damaged(self, prefix: str) -> None:
        """Remove the last step of this kind if it cannot be read; one in the middle cannot be helped."""
        for step in self.steps(prefix)[-1:]:
            try:
                self.read(step)
            except StoreError:
                self.place.remove(step + ENDING)

    def _check_config(self) -> None:
        """The same command finds its run again; another one must not add to it."""
        steps = self.steps()
        if not steps:
            return
        about = self.about(steps[0])
        if about["kind"] != self.kind:
            raise StoreError(
                f"{self.address}: holds a run of kind {about['kind']!r}, not {self.kind!r}; name another --store"
            )
        here, there = json.loads(json.dumps(self.config)), about["config"]
        differ = [key for key in sorted({*here, *there}) if here.get(key) != there.get(key)]
        if differ:
            said = "; ".join(f"{key}: {there.get(key)} there, {here.get(key)} now" for key in differ)
            raise StoreError(f"{self.address}: was made with another configuration ({said}); name another --store")

    def steps(self, prefix: str = "") -> list[str]:
        """Names of the steps that are there, in order."""
        names = [name.removesuffix(ENDING) for name in self.place.names() if name.endswith(ENDING)]
        return [name for name in names if name.startswith(prefix)]

    def has(self, step: str) -> bool:
        return step in self.steps()

    def write(self, step: str, table: pa.Table, measured: dict | None = None) -> None:
        """Commit a step."""
        about = {"format": FORMAT, "kind": self.kind, "config": self.config, "step": step, "measured": measured or {}}
        table = table.replace_schema_metadata({KEY: json.dumps(about).encode()})
        buffer = io.BytesIO()
        parquet.write_table(table, buffer, compression="zstd")
        self.place.write(step + ENDING, buffer.getvalue())

    def read(self, step: str) -> pa.Table:
        """A step's table. StoreError with the file's name if it is damaged, not ours, or of a newer format."""
        return self._parse(step, read_table)

    def about(self, step: str) -> dict:
        """What a step's metadata says."""
        return json.loads(self._parse(step, parquet.read_schema).metadata[KEY])

    def _parse(self, step: str, read):
        name = f"{self.address}/{step}{ENDING}"
        data = self.place.read(step + ENDING)
        try:
            found = read(pa.BufferReader(data))
        except (pa.ArrowException, OSError) as error:
            raise StoreError(f"{name}: is damaged: {' '.join(str(error).split())}") from None
        schema = found if isinstance(found, pa.Schema) else found.schema
        try:
            about = json.loads(schema.metadata[KEY])
        except (KeyError, TypeError, ValueError):
            raise StoreError(f"{name}: is Parquet, but not written by this project") from None
        if about["format"] > FORMAT:
            raise StoreError(
                f"{name}: has format {about['format']}, this program knows up to {FORMAT}: use a newer one"
            )
        return found


def read_all(run: Run, prefix: str) -> pa.Table | None:
    """The tables of all steps with this prefix, one after the other; None if there are none."""
    tables = [run.read(step).replace_schema_metadata() for step in run.steps(prefix)]
    return pa.concat_tables(tables) if tables else None

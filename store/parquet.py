"""A step as the bytes of a Parquet file, with a checksum over all of them.

    pages | SEAL crc32 | footer: schema, metadata, offsets of the pages | its length | PAR1

Parquet's own checksums cover the pages alone: a flipped bit in the footer would go unnoticed and
might rename a column. Readers of Parquet go by the offsets, so none minds the eight bytes between
pages and footer. Reckoning the checksum takes 4 ms for 15 MB, a thirtieth of reading them.
"""

import io
import json
import zlib
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

KEY = b"quarto-evo"
SEAL = b"CRC1"
# Of one step: a million recorded games have 33 million.
MOST_VALUES = 60_000_000


class Damaged(Exception):
    """These bytes are not those that were written."""


class Foreign(Exception):
    """A Parquet file that this project has not written."""


class TooLarge(Exception):
    """A file of few bytes whose table would not fit into memory."""


def read_table(source: Any) -> pa.Table:
    """The table of a file (a path, or anything that Arrow reads), read in the calling thread.

    Arrow's own `read_table` leaves threads of a pool behind; a program that ends just then is now
    and then aborted ("terminate called without an active exception"), after its work is done. Our
    files are small enough to gain nothing from threads."""
    with parquet.ParquetFile(source, pre_buffer=False) as file:
        return file.read(use_threads=False)


def pack(table: pa.Table, about: dict[str, Any]) -> bytes:
    """The bytes of a file. `about` goes into the schema's metadata, where any reader finds it."""
    about = about | {"sealed": True}
    table = table.replace_schema_metadata({KEY: json.dumps(about).encode()})
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, compression="zstd")
    data = buffer.getvalue()
    footer = _footer_at(data)
    return data[:footer] + SEAL + zlib.crc32(data).to_bytes(4, "little") + data[footer:]


def read_about(data: bytes) -> dict[str, Any]:
    """What the metadata says, of bytes that are whole; else Damaged or Foreign."""
    sealed = _is_sealed(data)
    try:
        schema = parquet.read_schema(pa.BufferReader(data))
    except Exception as error:
        raise Damaged(" ".join(str(error).split())) from None
    try:
        about = json.loads(schema.metadata[KEY])
        about["format"] + 0
    except (KeyError, TypeError, ValueError):
        raise Foreign from None
    if about.get("sealed") and not sealed:
        raise Damaged("its checksum is missing")
    return about


def read_step(file: Any) -> str | None:
    """The step that a file was written as, by its footer alone; None if we have not written it."""
    metadata = parquet.read_schema(file).metadata or {}
    return json.loads(metadata[KEY]).get("step") if KEY in metadata else None


def unpack(data: bytes) -> pa.Table:
    """The table, of bytes that `read_about` has found whole. Raise TooLarge by the footer alone:
    a column that compresses well has billions of values in a few kilobytes."""
    try:
        values = _values(parquet.read_metadata(pa.BufferReader(data)))
        if values > MOST_VALUES:
            raise TooLarge(f"holds {values:,} values; more than {MOST_VALUES:,} are not read")
        return read_table(pa.BufferReader(data))
    except TooLarge:
        raise
    except Exception as error:
        raise Damaged(" ".join(str(error).split())) from None


def _values(footer: parquet.FileMetaData) -> int:
    groups = (footer.row_group(i) for i in range(footer.num_row_groups))
    return sum(g.column(i).num_values for g in groups for i in range(g.num_columns))


def _is_sealed(data: bytes) -> bool:
    """Whether there is a checksum; Damaged if it does not fit."""
    footer = _footer_at(data)
    before = footer - len(SEAL) - 4
    if before < 0 or data[before : footer - 4] != SEAL:
        return False
    checksum = zlib.crc32(data[footer:], zlib.crc32(data[:before]))
    if checksum.to_bytes(4, "little") != data[footer - 4 : footer]:
        raise Damaged("its checksum does not fit")
    return True


def _footer_at(data: bytes) -> int:
    return len(data) - 8 - int.from_bytes(data[-8:-4], "little")

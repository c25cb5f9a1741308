"""A step as the bytes of a Parquet file, with a checksum over all of them.

    pages | SEAL crc32 | footer: schema, metadata, offsets of the pages | its length | PAR1

Parquet's own checksums cover the pages alone: a flipped bit in the footer would go unnoticed and
might rename a column. Readers of Parquet go by the offsets and skip the eight bytes between pages
and footer. Computing the checksum takes 4 ms for 15 MB, a thirtieth of the time to read them.
"""

import io
import json
import zlib
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as parquet

from store.folder import one_line

KEY = b"quarto-evo"
SEAL = b"CRC1"
# of a step: a million recorded games have 33 million; lists of 40 million values take a gigabyte
MOST_VALUES = 36_000_000
MOST_BYTES = 500_000_000  # of a step, uncompressed, and of its file
MOST_FOOTER = 10_000_000  # bytes; a champion's source is the longest text in a footer


class Unreadable(Exception):
    """A file that this project has not written, that is too new, or too large for the memory."""


class Damaged(Unreadable):
    """The bytes are not those that were written."""


def read_table(source: Any) -> pa.Table:
    """Return the table of a file (a path, or anything that Arrow reads), read in this thread.

    Arrow's own `read_table` leaves threads of a pool behind, which now and then abort a program
    that ends at that moment ("terminate called without an active exception"). Our files are too
    small to gain from threads."""
    with parquet.ParquetFile(source, pre_buffer=False) as file:
        return file.read(use_threads=False)


def pack(table: pa.Table, about: dict[str, Any]) -> bytes:
    """Return the bytes of a file, with `about` as JSON in the schema's metadata."""
    about = about | {"sealed": True}
    table = table.replace_schema_metadata({KEY: json.dumps(about).encode()})
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, compression="zstd")
    data = buffer.getvalue()
    footer = _footer_at(data)
    return data[:footer] + SEAL + zlib.crc32(data).to_bytes(4, "little") + data[footer:]


def read_about(data: bytes) -> dict[str, Any]:
    """Return the metadata of a file. Raise Unreadable."""
    if _footer_at(data) > 0:
        _limit(_footer_size(data), "bytes of metadata", MOST_FOOTER)
    sealed = _is_sealed(data)
    try:
        schema = parquet.read_schema(pa.BufferReader(data))
    except Exception as error:
        raise Damaged(one_line(error)) from None
    try:
        about = json.loads(schema.metadata[KEY])
        about["format"] + 0
    except (KeyError, TypeError, ValueError, RecursionError):
        raise Unreadable("is Parquet, but not written by this project") from None
    if about.get("sealed") and not sealed:
        raise Damaged("its checksum is missing")
    return about


def read_step(file: Any) -> str | None:
    """Return the name of the step that a file was written as, from its footer alone; None if this
    project has not written the file."""
    _limit(_footer_size(file.read_at(8, file.size() - 8)), "bytes of metadata", MOST_FOOTER)
    metadata = parquet.read_schema(file).metadata or {}
    return json.loads(metadata[KEY]).get("step") if KEY in metadata else None


def unpack(data: bytes) -> pa.Table:
    """Return the table of bytes that `read_about` has accepted. Raise Unreadable before memory is
    used: a column that compresses well has billions of values in a few kilobytes."""
    try:
        footer = parquet.read_metadata(pa.BufferReader(data))
        groups = [footer.row_group(i) for i in range(footer.num_row_groups)]
        columns = [group.column(i) for group in groups for i in range(group.num_columns)]
        _limit(sum(column.num_values for column in columns), "values", MOST_VALUES)
        _limit(sum(column.total_uncompressed_size for column in columns), "bytes", MOST_BYTES)
        texts = {
            one.path_in_schema
            for one in columns
            # the longest text may be that of every value
            if one.physical_type == "BYTE_ARRAY"
            and one.num_values * one.total_uncompressed_size > MOST_BYTES
        }
        _limit(sum(_text_bytes(data, name) for name in texts), "bytes", MOST_BYTES)
        return read_table(pa.BufferReader(data))
    except Unreadable:
        raise
    except Exception as error:
        raise Damaged(one_line(error)) from None


def _limit(size: int, unit: str, most: int) -> None:
    if size > most:
        raise Unreadable(f"holds {size:,} {unit}; more than {most:,} are not read")


def _text_bytes(data: bytes, name: str) -> int:
    """Return the size of a column of texts in memory. Parquet stores equal texts once, as a
    dictionary; Arrow copies them out."""
    source = pa.BufferReader(data)
    with parquet.ParquetFile(source, pre_buffer=False, read_dictionary=[name]) as file:
        columns = file.read([name], use_threads=False).columns
    total = 0
    for values in (chunk for column in columns for chunk in column.chunks):
        while pa.types.is_nested(values.type):
            values = values.flatten() if pa.types.is_list(values.type) else values.field(0)
        if pa.types.is_dictionary(values.type):
            lengths = pc.binary_length(values.dictionary)
            counts = pc.value_counts(values.indices.drop_null())
            sizes = lengths.take(counts.field("values")).to_numpy(zero_copy_only=False)
            total += int((sizes * counts.field("counts").to_numpy()).sum())
    return total


def _is_sealed(data: bytes) -> bool:
    """Return whether there is a checksum. Raise Damaged if it is wrong."""
    footer = _footer_at(data)
    start = footer - len(SEAL) - 4
    if start < 0 or data[start : footer - 4] != SEAL:
        return False
    checksum = zlib.crc32(data[footer:], zlib.crc32(data[:start]))
    if checksum.to_bytes(4, "little") != data[footer - 4 : footer]:
        raise Damaged("its checksum does not fit")
    return True


def _footer_at(data: bytes) -> int:
    return len(data) - 8 - _footer_size(data)


def _footer_size(end: bytes) -> int:
    return int.from_bytes(end[-8:-4], "little")

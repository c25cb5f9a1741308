"""The one way to read a Parquet file here: in the calling thread.

Arrow's own `read_table` leaves threads of a pool behind; a program that ends just then is now and then aborted ("terminate called without an active exception"),
after its work is done. Our files are small enough to gain nothing from threads.
"""

import pyarrow as pa
import pyarrow.parquet as parquet


def read_table(source) -> pa.Table:
    """The table of a file: a path, or anything that Arrow reads."""
    with parquet.ParquetFile(source, pre_buffer=False) as file:
        return file.read(use_threads=False)

"""Storage of runs: a run is a folder of Parquet files, each written whole or not at all.

store.Run("runs/evo-ga-0").table("fitness").to_pandas()
"""

import console as console  # first: it handles Ctrl-C
from store.folder import DamagedFile, StoreError
from store.parquet import read_table
from store.run import Run

__all__ = ["DamagedFile", "Run", "StoreError", "read_table"]

"""What is kept: a run is a folder of Parquet files, each whole or not there at all."""

from store.errors import StoreError
from store.run import Run

__all__ = ["Run", "StoreError"]

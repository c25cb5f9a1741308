"""Columns of genes, and the tables of format 2 with the columns of format 3."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from store.schema import GENE, SchemaError


def gene_columns(genes: np.ndarray, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Return a column for each gene, `gene_alpha`, from genes[individual, gene]."""
    return {f"{GENE}{name}": column for name, column in zip(names, genes.T, strict=True)}


def read_genes(table: pa.Table) -> np.ndarray:
    """Return [row, gene] of the columns of genes."""
    names = [name for name in table.column_names if name.startswith(GENE)]
    genes = np.stack([table[name].to_numpy() for name in names], axis=1)
    # texts come as objects
    return genes.astype(str) if genes.dtype == object else genes


def upgrade(kind: str, step: str, table: pa.Table) -> pa.Table:
    """Return a table of format 2 with the columns of format 3."""
    name, _, number = step.partition("-")
    columns, number = table.column_names, number[-9:] if number.isdecimal() else "0"
    if (kind, name) == ("evolution", "fitness") and "points" in columns:
        return table.rename_columns({"points": "score"})
    if name == "curve" and "number" in columns:
        return table.rename_columns({"number": "round" if kind == "self-play" else "generation"})
    if (kind, name) == ("tournament", "match"):
        return table.add_column(0, "match", pa.array([int(number)] * len(table)))
    if kind == "evolution" and "genes" in columns:
        try:
            genes = np.array(table["genes"].to_pylist(), np.float64).reshape(len(table), -1)
        except (TypeError, ValueError):
            raise SchemaError("its column 'genes' does not hold lists of equal length") from None
        table = table.drop_columns("genes")
        if name in ("generation", "epoch"):
            table = table.add_column(0, name, pa.array([int(number)] * len(table)))
        # the names of the genes are not stored there
        for column, values in gene_columns(genes, map(str, range(1, genes.shape[1] + 1))).items():
            table = table.append_column(column, pa.array(values))
    return table

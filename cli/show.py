"""Show the steps and tables of a run.

python -m cli.show RUN                    its steps, with rows and columns
python -m cli.show FOLDER                 the runs in a folder, as cli.runs lists them
python -m cli.show RUN STEP               a step's table; `match` shows all of match-0000, ...
python -m cli.show RUN STEP --csv FILE    the same as CSV (- for stdout, where control characters
                                          are spelled out)
python -m arena.recorded RUN              recorded games as text
"""

import io
import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv

from cli.runs import list_runs
from console.command import command
from console.config import Config, argument, option
from console.errors import BadInput
from console.table import print_table
from console.typed import printable
from store.kinds import value_text
from store.run import Run

BATCH_ROWS = 10_000


class Show(Config):
    run: str = argument("a folder or s3:// address", metavar="RUN")
    step: str | None = argument("a step, or the common name of numbered steps", metavar="STEP")
    csv: str | None = option(None, "export instead of printing (- for stdout)", metavar="FILE")
    rows: int = option(20, "how many rows to print", least=0, metavar="N")

    def check(self) -> None:
        if self.csv is not None and self.step is None:
            raise BadInput(f"--csv {self.csv}: also name the STEP to export")


def show(config: Show) -> None:
    run = Run(config.run)
    if config.step is None:
        list_steps(run) if run.steps() else list_runs(run.address)
    elif config.csv is not None:
        export(run.table(config.step), config.csv)
    else:
        show_table(run.table(config.step), config.rows)


def list_steps(run: Run) -> None:
    steps = run.steps()
    about = run.about(steps[0])
    print(printable(f"{run.address}: {about['kind']}, format {about['format']}"))
    settings = ", ".join(f"{key}={value}" for key, value in about["config"].items())
    print(printable(settings), end="\n\n")
    rows = [["step", "rows", "columns"]]
    for step in steps:
        table = run.read(step)
        rows.append([step, str(table.num_rows), " ".join(table.column_names)])
    print_table(rows)


def show_table(table: pa.Table, rows: int) -> None:
    cells = [[_cell(value) for value in row.values()] for row in table.slice(0, rows).to_pylist()]
    print_table([table.column_names, *cells])
    if table.num_rows > rows:
        print(f"... {table.num_rows:,} rows; --rows shows more, --csv exports all")


def _cell(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else value_text(value)


def export(table: pa.Table, file: str) -> None:
    if file == "-":
        for part in csv_parts(table):
            # unlike in a file, where the bytes are exact
            sys.stdout.write(printable(part.decode()))
        return
    try:
        with open(file, "wb") as out:
            out.writelines(csv_parts(table))
    except OSError as error:
        raise BadInput(f"--csv {file}: cannot be written: {error.strerror}") from None


def csv_parts(table: pa.Table) -> Iterator[bytes]:
    """Yield the table as CSV in batches."""
    for start in range(0, max(1, table.num_rows), BATCH_ROWS):
        part = table.slice(start, BATCH_ROWS)
        for i, field in enumerate(part.schema):
            if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
                texts = [_cell(value) for value in part.column(i).to_pylist()]
                part = part.set_column(i, field.name, [texts])
        buffer = io.BytesIO()
        csv.write_csv(part, buffer, csv.WriteOptions(include_header=start == 0))
        yield buffer.getvalue()


main = command("cli.show", __name__, __doc__, Show, show)

"""What a run holds.

python -m store.show RUN                    its steps, with rows and columns
python -m store.show RUN STEP               a step's table (a prefix like `match` shows all such steps as one)
python -m store.show RUN STEP --csv FILE    the same as CSV (- for standard output)
"""

import argparse
import sys

import pyarrow.csv as csv

from console.table import aligned
from store.errors import StoreError
from store.run import Run, read_all


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m store.show", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("run", metavar="RUN", help="a folder or s3:// address")
    parser.add_argument("step", metavar="STEP", nargs="?", help="a step or the beginning of some steps' names")
    parser.add_argument("--csv", metavar="FILE", help="export instead of printing")
    parser.add_argument("--rows", type=int, default=20, help="how many rows to print (default %(default)s)")
    return parser


def list_steps(run: Run) -> str:
    steps = run.steps()
    if not steps:
        raise StoreError(f"{run.address}: holds no run")
    about = run.about(steps[0])
    config = ", ".join(f"{key}={value}" for key, value in about["config"].items())
    rows = [["step", "rows", "columns"]]
    for step in steps:
        table = run.read(step)
        rows.append([step, str(table.num_rows), " ".join(table.column_names)])
    return f"{run.address}: {about['kind']}, format {about['format']}\n{config}\n\n{aligned(rows)}"


def show_table(run: Run, step: str, rows: int) -> str:
    table = find(run, step)
    cells = [[_cell(value) for value in row.values()] for row in table.slice(0, rows).to_pylist()]
    text = aligned([table.column_names, *cells])
    return (
        text if table.num_rows <= rows else f"{text}\n... {table.num_rows:,} rows; --rows shows more, --csv exports all"
    )


def _cell(value) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def find(run: Run, step: str):
    table = read_all(run, step)
    if table is None:
        raise StoreError(f"{run.address}: has no step {step!r}; it has {', '.join(run.steps()[:8]) or 'none'}")
    return table


def export(run: Run, step: str, file: str) -> None:
    table = find(run, step)
    for i, field in enumerate(table.schema):
        if "list" in str(field.type):
            table = table.set_column(i, field.name, [[_cell(value) for value in table.column(i).to_pylist()]])
    csv.write_csv(table, sys.stdout.buffer if file == "-" else file)


def main(arguments: list[str] | None = None) -> int:
    asked = options().parse_args(arguments)
    try:
        run = Run(asked.run)
        if asked.step is None:
            print(list_steps(run))
        elif asked.csv:
            export(run, asked.step, asked.csv)
        else:
            print(show_table(run, asked.step, asked.rows))
    except (StoreError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

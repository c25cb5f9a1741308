"""Table of line and branch coverage by package: `make coverage`.

Kernels are left out, because compiled code cannot be traced. So is code that runs only in child
processes, for example on workers.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

from console.table import aligned


def rows(files: dict) -> list[list[str]]:
    """Return the table: a header, a row for each package, and one for all packages."""
    names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for file, report in files.items():
        for package in (Path(file).parts[0], "all"):
            for i, name in enumerate(names):
                sums[package][i] += report["summary"].get(name, 0)
    packages = [package for package in sums if package != "all"]
    table = [["package", "lines", "covered", "branches", "covered"]]
    for package in [*packages, "all"]:
        lines, reached, branches, taken = sums[package]
        shares = [
            f"{100 * part / max(1, of):.1f} %" for part, of in ((reached, lines), (taken, branches))
        ]
        table.append([package, f"{lines:,}", shares[0], f"{branches:,}", shares[1]])
    return table


if __name__ == "__main__":
    print(aligned(rows(json.loads(Path(sys.argv[1]).read_text())["files"])))

"""Line and branch coverage by package, as a table: `make coverage`.

Kernels are compiled and cannot be traced; they are left out. So is what runs only in child
processes, for example on workers.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

from console.table import aligned


def rows(files: dict) -> list[list[str]]:
    """A row for each package, and one for all of them."""
    names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for file, found in files.items():
        for package in (Path(file).parts[0], "all"):
            for i, name in enumerate(names):
                sums[package][i] += found["summary"].get(name, 0)
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

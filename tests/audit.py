"""Known vulnerabilities of the pinned dependencies, by pip-audit: `make audit`.

Exit code 0: there are no known ones; 1: they are listed; 2: the database cannot be reached.
pip-audit itself exits with 0 if its database has none of the packages.
"""

import json
import subprocess
import sys

COMMAND = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--format", "json"]
# the file lists every dependency with its version
PINS = ["--no-deps", "--disable-pip", "--requirement", "constraints.txt"]


def verdict(output: str, errors: str) -> tuple[int, list[str]]:
    """Return the exit code and the lines to print for the output of pip-audit."""
    try:
        packages = json.loads(output)["dependencies"]
    except ValueError:
        reason = (errors.strip().splitlines() or ["pip-audit wrote nothing"])[-1]
        return 2, [f"cannot reach the database of vulnerabilities, nothing was checked: {reason}"]
    checked = [package for package in packages if "vulns" in package]
    if not checked:
        why = f"it has none of the {len(packages)} packages"
        return 2, [f"cannot reach the database of vulnerabilities, nothing was checked: {why}"]
    lines = [f"not checked: {p['skip_reason']}" for p in packages if "skip_reason" in p]
    flaws = [(package, flaw) for package in checked for flaw in package["vulns"]]
    for package, flaw in flaws:
        fixed = ", ".join(flaw["fix_versions"]) or "no version"
        lines.append(f"{package['name']} {package['version']}: {flaw['id']}, fixed in {fixed}")
    return int(bool(flaws)), [*lines, f"{len(checked)} packages checked: {len(flaws)} known flaws"]


def main() -> int:
    done = subprocess.run([*COMMAND, *PINS], capture_output=True, text=True)
    code, lines = verdict(done.stdout, done.stderr)
    print(*lines, sep="\n", file=sys.stderr if code == 2 else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main())

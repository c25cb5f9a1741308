"""The pinned dependencies with known vulnerabilities, by pip-audit: `make audit`.

Exit code 0: none is known; 1: they are listed; 2: the database could not be asked. pip-audit itself
ends with code 0 when its database has none of the packages.
"""

import json
import subprocess
import sys

COMMAND = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--format", "json"]
# every dependency is in the file, with its version
PINS = ["--no-deps", "--disable-pip", "--requirement", "constraints.txt"]


def verdict(output: str, errors: str) -> tuple[int, list[str]]:
    """Exit code, and the lines to print, for what pip-audit wrote."""
    try:
        packages = json.loads(output)["dependencies"]
    except ValueError:
        reason = (errors.strip().splitlines() or ["pip-audit wrote nothing"])[-1]
        return 2, [f"cannot reach the database of vulnerabilities, nothing was checked: {reason}"]
    checked = [one for one in packages if "vulns" in one]
    if not checked:
        why = f"it has none of the {len(packages)} packages"
        return 2, [f"cannot reach the database of vulnerabilities, nothing was checked: {why}"]
    lines = [f"not checked: {one['skip_reason']}" for one in packages if "skip_reason" in one]
    found = [(one, flaw) for one in checked for flaw in one["vulns"]]
    for one, flaw in found:
        fixed = ", ".join(flaw["fix_versions"]) or "no version"
        lines.append(f"{one['name']} {one['version']}: {flaw['id']}, fixed in {fixed}")
    return int(bool(found)), [*lines, f"{len(checked)} packages checked: {len(found)} known flaws"]


def main() -> int:
    done = subprocess.run([*COMMAND, *PINS], capture_output=True, text=True)
    code, lines = verdict(done.stdout, done.stderr)
    print(*lines, sep="\n", file=sys.stderr if code == 2 else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main())

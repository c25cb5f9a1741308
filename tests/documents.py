"""The code blocks of the documentation, run and compared with what the program prints.

    python -m tests.documents docs/tutorial.md            print differences; exit code 1 if any
    python -m tests.documents --write docs/tutorial.md    put the program's output into the page
    python -m tests.documents --write examples/play.ipynb    the same for a notebook

The language of a fenced block says what happens to it: `console` lines that begin with `$` are run
and their output is compared; `pycon` is a doctest; `python` is executed, or stored if its first
line names a file (`# mine.py`); `sh` and `text` are shown only. In an output `...` stands for
anything in its line, and a line `...` for any number of lines. The blocks of a page share one
folder and one Python namespace; all pages of a call share one process, which keeps kernels loaded.
"""

import argparse
import doctest
import importlib
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from agents.player import REGISTRY
from cli import COMMANDS
from tests.commands import Result, call
from tests.notebooks import MEASURED, run_notebook
from tests.web.serving import serving

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("console", "pycon", "python", "sh", "text")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# "..." as a word of its own: the dots of a position touch other characters
ANYTHING = re.compile(r"(?<![\w.])\.\.\.(?![\w.])")


class Block(NamedTuple):
    language: str
    text: str
    span: tuple[int, int]  # of the text, in the page


def blocks(page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page that begin in the first column."""
    for match in BLOCK.finditer(page):
        yield Block(match[1], match[2], match.span(2))


def steps(text: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output that follows it."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    if parts[0]:
        raise ValueError(f"a console block begins with a command, not with {parts[0]!r}")
    return list(zip(parts[1::2], parts[2::2], strict=True))


def agrees(shown: str, printed: str) -> bool:
    """Return whether an output matches the shown one, in which `...` stands for anything."""
    pattern = ""
    for line in shown.rstrip("\n").splitlines():
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            words = [re.escape(word) for word in ANYTHING.split(_even(line))]
            pattern += ".*?".join(words) + r"\n"
    lines = printed.rstrip("\n").splitlines()
    return re.fullmatch(pattern, "".join(_even(line) + "\n" for line in lines)) is not None


def _even(line: str) -> str:
    """Collapse the spaces that align columns, because a measured figure may change their width."""
    return re.sub(r"(?<=\S) +", " ", line.rstrip())


def with_dots(shown: str, printed: str) -> str:
    """Return the output for a page: keep lines that agree, replace measured figures by dots."""
    old, lines = shown.splitlines(), []
    for i, line in enumerate(printed.rstrip("\n").splitlines()):
        if i < len(old) and old[i] != "..." and agrees(old[i], line):
            lines.append(old[i])
            continue
        lines.append(MEASURED.sub(_dots, line).rstrip())
    return "".join(line + "\n" for line in lines)


def _dots(figure: re.Match) -> str:
    """Return dots, as wide as the figure if it is in a column."""
    in_column = figure.string[figure.end() : figure.end() + 2] == "  "
    return "..." + " " * (len(figure[0]) - 3) * in_column


@cache
def _takes_workers(module: str) -> bool:
    return "--workers" in call(module, "--help").out


def run_line(line: str) -> str:
    """Run a shell line and return its output; commands of the project run in this process."""
    reader = shlex.shlex(line, posix=True, punctuation_chars="|<>")
    reader.whitespace_split = True
    words = list(reader)
    plain = next((i for i, word in enumerate(words) if set(word) <= set("|<>")), len(words))
    if words[0] == "quarto-evo" and words[1] in COMMANDS:
        words[:2] = ["python", "-m", COMMANDS[words[1]].module]
        plain += 1
    if words[0] == "curl":
        with serving("runs") as server:
            return server.ask(words[1].removeprefix("$WEB")).body + "\n"
    if words[:2] != ["python", "-m"]:
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr
    result = _call(words[2], words[3:plain], words[plain:])
    printed = result.out + (result.err if result.code else "")
    match words[plain : plain + 1]:
        case [">"]:
            Path(words[plain + 1]).write_text(printed)
            return ""
        case ["|"]:
            pipe = line.partition(" | ")[2]
            done = subprocess.run(
                ["bash", "-c", pipe], input=printed, capture_output=True, text=True, check=False
            )
            return done.stdout
    return printed


def _call(module: str, arguments: list[str], rest: list[str]) -> Result:
    if _takes_workers(module) and "--workers" not in arguments:
        arguments = [*arguments, "--workers", "0"]
    text = Path(rest[1]).read_text() if rest[:1] == ["<"] else ""
    sys.orig_argv[:] = ["python", "-m", module]
    before, sys.stdin = sys.stdin, io.StringIO(text)
    try:
        return call(module, *arguments)
    finally:
        sys.stdin = before


def run_block(block: Block, names: dict) -> tuple[str, list[str]]:
    """Run a block; return its text with the program's output, and the differences."""
    if block.language == "python":
        return block.text, _execute(block.text, names)
    if block.language == "pycon":
        test = doctest.DocTestParser().get_doctest(block.text, names, "page", None, 0)
        report = io.StringIO()
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        runner.run(test, out=report.write, clear_globs=False)
        names.update(test.globs)
        return block.text, [report.getvalue()] if runner.failures else []
    if block.language != "console":
        return block.text, []
    text, problems = "", []
    for line, shown in steps(block.text):
        printed = run_line(line)
        if not agrees(shown, printed):
            problems.append(f"$ {line}\n--- shown\n{shown}--- printed\n{printed}")
            shown = with_dots(shown, printed)
        text += f"$ {line}\n{shown}"
    return text, problems


def _execute(source: str, names: dict) -> list[str]:
    file = re.match(r"# ([\w/]+)\.py\n", source)
    if file:
        _store(file[1], source)
        return []
    try:
        exec(compile(source, "<page>", "exec"), names)
    except Exception as error:
        return [f"{source}--- raised\n{error!r}\n"]
    return []


def _store(name: str, source: str) -> None:
    """Store a file that a page shows; import it if it belongs to a package of the project."""
    package = name.partition("/")[0] if "/" in name else ""
    path = Path("in-the-project" if package else "", f"{name}.py").absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    if package:
        spec = importlib.util.spec_from_file_location(name.replace("/", "."), path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        setattr(importlib.import_module(package), path.stem, module)


def run_page(page: Path, folder: Path, write: bool = False) -> list[str]:
    """Run a page or a notebook in a folder; return the differences; `write`: update the page."""
    text, names, problems = page.read_text(), {"__name__": "page"}, []
    if page.suffix == ".ipynb":
        # Jupyter starts in the notebook's folder; what it stores there must not stay
        for file in page.parent.glob("*.py"):
            (folder / file.name).symlink_to(file)
    else:
        (folder / "examples").symlink_to(ROOT / "examples")
    parts, end = [], 0
    # the players of a page are not there for the next one
    with chdir(folder), redirect_stderr(io.StringIO()), patch.dict(REGISTRY):
        if page.suffix == ".ipynb":
            return run_notebook(page, write)
        for block in blocks(text):
            printed, wrong = run_block(block, names)
            problems += wrong
            parts += [text[end : block.span[0]], printed]
            end = block.span[1]
    if write:
        page.write_text("".join(parts) + text[end:])
    return problems


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="put the output into the pages")
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("PYTHONPATH", str(ROOT))
    failed = False
    for page in map(Path.resolve, options.pages):
        with tempfile.TemporaryDirectory() as folder:
            problems = run_page(page, Path(folder), options.write)
        # a form feed begins each difference, for the test that reads them
        print("".join(f"\f{page.name}: {problem}\n" for problem in problems), end="", flush=True)
        failed |= bool(problems)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

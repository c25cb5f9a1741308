"""The project's prose: a random sample of it, and the number of words that mark unclear prose.

    python -m tests.prose --sample 1     40 docstrings and 20 messages, drawn with seed 1
    python -m tests.prose --words        tell-tale words by top folder

A message is a string of at least four words in a raised error, a help text, or a call that prints.
The sample holds at most one docstring and one message of each source file.
"""

import argparse
import ast
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"})
GROUPS = {
    "source": [f"{name}/**/*.{end}" for name in PACKAGES for end in ("py", "js", "html", "css")],
    "tests": ["tests/**/*.py"],
    "docs": ["*.md", "docs/*.md"],
    "project": ["examples/*.*", "pyproject.toml", "Makefile", "*.yaml", ".github/**/*.yml"],
}
WORDS = r"whoever|(some|no|every)body|so (many|long)|told|tells|came of|by chance|what is known"
TELL_TALE = re.compile(rf"\b((?i:{WORDS})|is none)\b")  # "is None" is code
OPENINGS = ("Of ", "What ")  # of a docstring
SPEAKING = {"print", "show", "Progress", "option", "Option", "argument", "add_argument", "refuse"}
MIN_WORDS = 4


def files(group: str) -> list[str]:
    """Return the paths of all files of a group but this one."""
    paths = {path for pattern in GROUPS[group] for path in ROOT.glob(pattern)} - {Path(__file__)}
    return sorted(str(path.relative_to(ROOT)) for path in paths)


@cache
def tree_of(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"), file)


def docstrings(file: str) -> Iterator[tuple[int, str, str]]:
    """Yield (line, name, docstring) of the module and its classes and functions."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree_of(file)):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), getattr(node, "name", "the module"), text


def messages(file: str) -> Iterator[tuple[int, str, str]]:
    """Yield (line, 'raise' or the called function, message) of every message to users."""
    for node in ast.walk(tree_of(file)):
        name = "raise"
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2].lstrip("_")
        if isinstance(node, ast.Raise) or name in SPEAKING:
            yield from ((line, name, text) for line, text in strings(node))


def strings(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of the strings below a node that have enough words."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        text = str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)[2:-1]
        if len(re.sub(r"{.*?}", "", text).split()) >= MIN_WORDS:
            yield node.lineno, text
    else:
        for child in ast.iter_child_nodes(node):
            yield from strings(child)


def tell_tales(group: str) -> Iterator[tuple[str, int, str]]:
    """Yield (file, line, word) of each tell-tale word of a group of files, or of 'faces': the
    README, the messages, and the web pages."""
    faces = group == "faces"
    for file in ["README.md", *files("source")] if faces else files(group):
        texts = list(enumerate((ROOT / file).read_text(encoding="utf-8").splitlines(), 1))
        if file.endswith(".py"):
            for line, _, text in () if faces else docstrings(file):
                if text.startswith(OPENINGS):
                    yield file, line, f"{text.split()[0]} ..."
            texts = [(line, text) for line, _, text in messages(file)] if faces else texts
        for line, text in texts:
            yield from ((file, line, word[0].lower()) for word in TELL_TALE.finditer(text))


def print_sample(seed: int) -> None:
    chance = random.Random(seed)
    for title, collect, count in (("Docstrings", docstrings, 40), ("Messages", messages, 20)):
        by_file = {file: list(collect(file)) for file in files("source") if file.endswith(".py")}
        print(f"{title}\n")
        for file in sorted(chance.sample([file for file in by_file if by_file[file]], count)):
            line, name, text = chance.choice(by_file[file])
            print(f"{file}:{line} {name}", *text.splitlines(), "", sep="\n    ")


def print_words() -> None:
    for group in [*GROUPS, "faces"]:
        rows: dict[str, Counter[str]] = {}
        for file, _, word in tell_tales(group):
            rows.setdefault(file.rpartition("/")[0].partition("/")[0] or ".", Counter())[word] += 1
        print(f"{group}: {sum(map(Counter.total, rows.values()))}")
        for top, counts in sorted(rows.items()):
            print(f"  {top:12}", ", ".join(f"{word} {n}" for word, n in counts.most_common()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--sample", type=int, metavar="SEED", help="print a sample of the prose")
    what.add_argument("--words", action="store_true", help="count the tell-tale words")
    options = parser.parse_args()
    print_words() if options.words else print_sample(options.sample)


if __name__ == "__main__":
    main()

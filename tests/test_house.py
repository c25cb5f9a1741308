"""The rules of the project, checked in every file; a failure lists the violations."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.prose import TELL_TALE, tell_tales, tree_of

HOUSE = Path(__file__).parent.parent
# No package imports one to its right; only tests import `benchmarks`, and none imports `tests`.
ROOMS = ["console", "engine", "store", "agents", "workers", "arena", "oracle", "terminal"]
ROOMS += ["evo", "selfplay", "envs", "web", "cli", "benchmarks"]
# Only these files of the engine may use the console.
ENGINE_COMMANDS = {f"engine/{name}.py" for name in ("__init__", "compile", "solve")}
LAST = ("benchmarks", "tests")
THERE = [room for room in [*ROOMS, "tests", "examples"] if (HOUSE / room).is_dir()]
COLUMNS, ARGUMENTS, LINES, FILE_LINES = 100, 6, 40, 350
FOLDER_FILES = 20


def files(rooms: list[str]) -> list[str]:
    paths = [path for room in rooms for path in sorted((HOUSE / room).rglob("*.py"))]
    return [path.relative_to(HOUSE).as_posix() for path in paths]


SOURCES = files(ROOMS)
EVERYTHING = [*SOURCES, *files(["tests", "examples"])]


def lines_of(file: str) -> list[str]:
    return (HOUSE / file).read_text(encoding="utf-8").splitlines()


def imported_rooms(file: str) -> Iterator[tuple[int, str]]:
    """Yield (line, package) of every import, also inside functions."""
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}:{node.lineno}: relative import"
            names = [node.module or ""]
        else:
            continue
        for name in names:
            yield node.lineno, name.partition(".")[0]


def may_import(file: str, other: str) -> bool:
    room = file.partition("/")[0]
    if room == other or other not in (*ROOMS, "tests"):
        return True
    if other in LAST or room not in ROOMS:
        return room == "tests" or (room not in ROOMS and other not in LAST)
    if room == "engine":
        return other == "console" and file in ENGINE_COMMANDS
    return ROOMS.index(other) < ROOMS.index(room)


@pytest.mark.parametrize("room", THERE)
def test_a_package_imports_only_packages_before_it(room):
    offenders = [
        f"{file}:{line}: imports {other}"
        for file in files([room])
        for line, other in imported_rooms(file)
        if not may_import(file, other)
    ]
    assert not offenders, "\n".join(["", *offenders])


@pytest.mark.parametrize(
    ("file", "other", "allowed"),
    [
        ("arena/match.py", "agents", True),
        ("arena/match.py", "oracle", False),
        ("agents/search/exact.py", "arena", False),
        ("agents/search/exact.py", "numpy", True),
        ("engine/solve.py", "console", True),
        ("engine/exact/proof.py", "console", False),
        ("engine/solve.py", "store", False),
        ("console/table.py", "store", False),
        ("arena/run.py", "benchmarks", False),
        ("benchmarks/field.py", "selfplay", True),
        ("benchmarks/field.py", "tests", False),
        ("tests/test_house.py", "benchmarks", True),
        ("examples/play.py", "arena", True),
        ("examples/play.py", "tests", False),
    ],
)
def test_imports_follow_the_order_of_packages(file, other, allowed):
    assert may_import(file, other) is allowed


def test_workers_is_the_only_package_that_imports_ray():
    others = [file for file in SOURCES if not file.startswith(("workers/", "benchmarks/"))]
    importers = [
        f"{file}:{line}"
        for file in others
        for line, package in imported_rooms(file)
        if package == "ray"
    ]
    assert not importers, "\n".join(["", *importers])


def uses_private_names_of_ray(file: str) -> bool:
    return any(
        (isinstance(node, ast.Attribute) and node.attr == "_private")
        or (isinstance(node, ast.alias) and f"{node.name}.".startswith("ray._private."))
        or (isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("ray._private."))
        for node in ast.walk(tree_of(file))
    )


def test_only_one_file_uses_private_names_of_ray():
    assert [*filter(uses_private_names_of_ray, SOURCES)] == ["workers/ray_private.py"]


def long_lines() -> Iterator[str]:
    for file in EVERYTHING:
        for number, line in enumerate(lines_of(file), 1):
            if len(line) > COLUMNS:
                yield f"{file}:{number}: {len(line)} columns"


def silenced_lines() -> Iterator[str]:
    silence = re.compile(r"#\s*(noqa|fmt:\s*(skip|off))")
    for file in EVERYTHING:
        for number, line in enumerate(lines_of(file), 1):
            if silence.search(line):
                yield f"{file}:{number}: {line.strip()}"


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for file in SOURCES:
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{file}:{node.lineno}: {node.name}", node


def functions_of_many_arguments() -> Iterator[str]:
    for name, node in functions():
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        count = sum(argument.arg not in ("self", "cls") for argument in every)
        if count > ARGUMENTS:
            yield f"{name} has {count} arguments"


def long_functions() -> Iterator[str]:
    for name, node in functions():
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        if length > LINES:
            yield f"{name} has {length} lines"


def long_files() -> Iterator[str]:
    for file in EVERYTHING:
        length = len(lines_of(file))
        if length > FILE_LINES:
            yield f"{file} has {length} lines"


def full_folders() -> Iterator[str]:
    """Yield the folders with too many files to be understood together."""
    for folder, count in Counter(str(Path(file).parent) for file in SOURCES).items():
        if count > FOLDER_FILES:
            yield f"{folder} has {count} files"


@pytest.mark.parametrize(
    ("habit", "most"),
    [
        (full_folders, 0),
        (long_lines, 0),
        (silenced_lines, 6),
        (functions_of_many_arguments, 5),
        (long_functions, 2),
        (long_files, 0),
    ],
    ids=lambda value: value.__name__ if callable(value) else f"at most {value}",
)
def test_a_bad_habit_stays_rare(habit, most):
    offenders = list(habit())
    title = f"{len(offenders)} {habit.__name__.replace('_', ' ')}, at most {most}:"
    assert len(offenders) <= most, "\n".join([title, *offenders])


@pytest.mark.parametrize(
    ("group", "most"), [("source", 14), ("docs", 4), ("project", 0), ("tests", 8), ("faces", 0)]
)
def test_words_that_mark_unclear_prose_get_no_more(group, most):
    """The faces are the README, messages to users, and web pages."""
    offenders = [f"{file}:{line}: {word}" for file, line, word in tell_tales(group)]
    assert len(offenders) <= most, "\n".join([f"{len(offenders)}, at most {most}:", *offenders])


def test_tell_tale_words_are_found_in_prose_but_not_in_code():
    text = "Whoever is told: there is none, so long as x is None and untold"
    words = [match[0] for match in TELL_TALE.finditer(text)]
    assert words == ["Whoever", "told", "is none", "so long"]


@pytest.mark.parametrize("room", [room for room in ROOMS if room in THERE])
def test_every_package_ships_its_types(room):
    packages = [path.parent for path in (HOUSE / room).rglob("__init__.py")]
    missing = [
        str(path.relative_to(HOUSE)) for path in packages if not (path / "py.typed").exists()
    ]
    assert packages and not missing, f"no py.typed in {', '.join(missing)}"

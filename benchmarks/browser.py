"""A server of the laboratory in a process of its own, and Chromium: what measures and pictures of
the pages need."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from console.errors import BadInput

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
# The same server whose analyses do without the book: they take long.
WITHOUT_BOOK = (
    "import sys, engine.exact.solver as solver; solver.memory_with_book = solver.make_memory; "
    "from web.__main__ import main; sys.exit(main(sys.argv[1:]))"
)


@contextmanager
def server(*options: str, book: bool = True) -> Iterator[str]:
    """The address of a server that has just come up."""
    command = ["-m", "web"] if book else ["-c", WITHOUT_BOOK]
    process = subprocess.Popen(
        [sys.executable, *command, "--no-open", *options], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    try:
        line = process.stdout.readline().strip()
        if not re.match(r"http://", line):
            raise BadInput("the server did not come up")
        yield line.rstrip("/")
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def browser() -> Iterator[Any]:
    """Headless Chromium. BadInput says how to get it."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise BadInput("playwright is missing: pip install -e '.[webtest]'") from None
    found = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if not found:
        raise BadInput("Chromium is missing: apt-get install chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        opened.close()

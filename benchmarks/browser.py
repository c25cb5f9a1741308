"""A web server in a process of its own, and headless Chromium, for measurements and screenshots."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from console.errors import BadInput

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
# The same server without the opening book, so that analyses take long.
WITHOUT_BOOK = (
    "import sys, engine.exact.solver as solver; solver.memory_with_book = solver.make_memory; "
    "from web.__main__ import main; sys.exit(main(sys.argv[1:]))"
)


@contextmanager
def server(*options: str, book: bool = True) -> Iterator[str]:
    """Start a server and yield its address."""
    command = ["-m", "web"] if book else ["-c", WITHOUT_BOOK]
    # called `python`, so that the commands on the pages name no folder of this machine
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    line = ["python", *command, "--no-open", "--port", "0", *options]
    environment = os.environ | {"PATH": path}
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        try:
            address = process.stdout.readline().strip()
            if not address.startswith("http://"):
                raise BadInput("the server did not start")
            yield address.rstrip("/")
        finally:
            process.terminate()


@contextmanager
def browser() -> Iterator[Any]:
    """Yield headless Chromium; BadInput says how to install it if it is missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise BadInput("playwright is missing: pip install -e '.[webtest]'") from None
    program = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if not program:
        raise BadInput("Chromium is missing: apt-get install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()

"""A run as a page to look at, whatever it holds: one HTML file that opens offline.

python -m web.pages RUN               writes RUN/report.html (report.html here if RUN is on S3)
python -m web.pages RUN --watch 10    writes it again every 10 s, and the open page follows
"""

import importlib
import sys
from collections.abc import Callable

from console.command import run_command
from console.errors import BadInput
from console.typed import command_line
from store.run import Run, understood
from web.pages.page import Page, Report, report_command

# kind of run -> the command that makes its page, in rooms that stand behind this one
PAGES = {
    "tournament": "web.pages",
    "evolution": "web.pages",
    "self-play": "web.pages",
    "reward": "web.pages",
}


def page_command(
    module: str, about: str | None, contents: Callable[[Run], Page], arguments: list[str] | None
) -> int:
    """The command of the page of a kind of run."""

    def page(address: str) -> Page:
        with understood(address):
            return contents(Run(address))

    return report_command(module, about, page, arguments)


def page_of(run: str) -> str:
    """The module whose command makes the page of a run."""
    steps = Run(run).steps()
    kind = Run(run).about(steps[0])["kind"] if steps else ""
    if kind not in PAGES:
        holds = f"holds a run of kind {kind!r}" if kind else "holds no run"
        raise BadInput(f"{run}: {holds}; there are pages of: {', '.join(PAGES)}")
    return PAGES[kind]


def not_yet(run: Run, first: str, *words: str) -> BadInput:
    """That there is nothing to show yet; `words`: the module and options that made the run."""
    go_on = command_line(*words, "--store", run.address)
    return BadInput(f"{run.address}: its first {first} is not complete yet; to go on: {go_on}")


def not_here(address: str, wanted: str, make: str) -> BadInput:
    """That a run is not what a page was wanted of, with a command that works."""
    steps = Run(address).steps()
    kind = Run(address).about(steps[0])["kind"] if steps else ""
    if not steps:
        return BadInput(f"{address}: holds no {wanted}; make one with: {make}")
    shows = f"a page of it: {command_line(PAGES[kind], address)}" if kind in PAGES else ""
    shows = shows or f"what it holds: {command_line('store.show', address)}"
    return BadInput(f"{address}: holds no {wanted}, but a run of kind {kind!r}; {shows}")


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments

    def make(config: Report) -> int:
        return importlib.import_module(page_of(config.run)).main(given)

    return run_command("web.pages", __doc__, Report, make, given)


if __name__ == "__main__":
    sys.exit(main())

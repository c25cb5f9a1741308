"""Options that every long-running command has, and how its errors end."""

import argparse
import signal
import sys
import threading
from collections.abc import Callable

from agents.custom import PlayerError
from arena.workers import PATIENCE, WorkersError
from console.progress import Progress
from store import StoreError


class BadInput(Exception):
    """What was asked for cannot be done as asked: one line, exit code 2."""


def add_common(parser: argparse.ArgumentParser, what: str) -> None:
    """--seed, --store, and how the work is done."""
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same result (default %(default)s)")
    parser.add_argument("--store", metavar="RUN", help=f"folder or s3:// address of the run (default runs/{what}-SEED)")
    add_workers(parser)


def add_workers(parser: argparse.ArgumentParser) -> None:
    """--workers, --address, --patience, --dashboard, --json."""
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes that play (default: one a core; 0: in this process)"
    )
    parser.add_argument("--address", help="a running Ray cluster (default: RAY_ADDRESS, else Ray on this machine)")
    parser.add_argument("--patience", type=float, default=PATIENCE, metavar="S", help="seconds without a result after which a worker is replaced (default %(default)g)")  # fmt: skip
    parser.add_argument("--dashboard", action="store_true", help="start Ray's dashboard, too")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")


def check_common(asked: argparse.Namespace, what: str) -> None:
    check_workers(asked)
    asked.store = asked.store or f"runs/{what}-{asked.seed}"


def check_workers(asked: argparse.Namespace) -> None:
    if asked.workers is not None and asked.workers < 0:
        raise BadInput(f"--workers {asked.workers}: give 0 or more")
    if asked.patience <= 0:
        raise BadInput(f"--patience {asked.patience:g}: give more than 0 seconds")


def _interrupt(*_) -> None:
    """Ctrl-C. What is raised while a compiled function looks at its arguments may get lost there: the next look at the progress raises it again."""
    Progress.interrupted = True
    raise KeyboardInterrupt


def exit_code(main: Callable[[], int], go_on: str = "") -> int:
    """Run a command's main part: 0 done, 1 failed, 2 bad input, 130 interrupted with the command to go on, where there is something to go on with."""
    Progress.interrupted = False
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _interrupt)
    try:
        return main()
    except (Exception, KeyboardInterrupt) as error:
        # an interrupt that strikes inside a compiled call comes out of it as some other error
        if isinstance(error, KeyboardInterrupt) or Progress.interrupted:
            said = f"interrupted; everything done is saved. To go on:\n  {go_on}" if go_on else "interrupted"
            print(f"\n{said}", file=sys.stderr)
            return 130
        if not isinstance(error, BadInput | StoreError | WorkersError | PlayerError):
            raise
        print(error, file=sys.stderr)
        return 2 if isinstance(error, BadInput | StoreError) else 1


def command_line(module: str, arguments: list[str]) -> str:
    """The command as the user can type it again."""
    import shlex

    return " ".join(["python -m", module, *map(shlex.quote, arguments)])

"""A page of plots: one HTML file with everything in it."""

import argparse
import html
import time
from collections.abc import Callable
from pathlib import Path

from console.command import BadInput, exit_code

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>{refresh}
<style>body {{ font-family: sans-serif; margin: 2em auto; max-width: 1200px; }} p {{ color: #555; }}</style>
</head><body><h1>{title}</h1><p>{about}</p>
{plots}
</body></html>
"""


def figure_page(title: str, about: str, figures: list, refresh: float | None = None) -> str:
    """The plotting library's own script goes into the page once, so it opens without a network. `refresh`: seconds after which it is read again."""
    plots = [figure.to_html(full_html=False, include_plotlyjs=i == 0) for i, figure in enumerate(figures)]
    again = f'<meta http-equiv="refresh" content="{refresh:g}">' if refresh else ""
    return PAGE.format(title=html.escape(title), about=html.escape(about), plots="\n".join(plots), refresh=again)


def write_page(out: Path, page: str) -> Path:
    try:
        out.write_text(page)
    except OSError as error:
        raise BadInput(f"--out {out}: cannot be written: {error.strerror}") from None
    return out


def report_command(
    module: str, about: str, what: str, page: Callable[[str, float | None], str], arguments: list[str] | None
) -> int:
    """The command line of a report on a run: `page` makes it from the run's address and, while it is watched, the seconds between two looks."""
    parser = argparse.ArgumentParser(
        f"python -m {module}", description=about, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("run", metavar="RUN", help=f"folder or s3:// address of {what}")
    parser.add_argument("--out", type=Path, help="the file to write")
    parser.add_argument("--watch", type=float, metavar="S", help="write it again every S seconds until Ctrl-C")
    asked = parser.parse_args(arguments)

    def report() -> int:
        if asked.watch is not None and asked.watch <= 0:
            raise BadInput(f"--watch {asked.watch}: give more than 0 seconds")
        out = asked.out or (Path("report.html") if "://" in asked.run else Path(asked.run) / "report.html")
        print(write_page(out, page(asked.run, asked.watch)), flush=True)
        while asked.watch:
            time.sleep(asked.watch)
            write_page(out, page(asked.run, asked.watch))
        return 0

    return exit_code(report)

"""A page of plots: one HTML file with everything in it."""

import html
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from console.command import run_command
from console.config import Config, argument, option
from console.errors import BadInput

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>{refresh}
<style>
body {{ font-family: sans-serif; margin: 2em auto; max-width: 1200px; }} p {{ color: #555; }}
</style>
</head><body><h1>{title}</h1><p>{about}</p>
{plots}
</body></html>
"""


@dataclass(kw_only=True)
class Report(Config):
    """Of which run a page is made, and where it goes."""

    run: str = argument("folder or s3:// address of the run", many=False, metavar="RUN")
    out: str | None = option(
        None,
        "the file to write (default RUN/report.html; report.html here if RUN is on S3)",
        metavar="FILE",
    )
    watch: float | None = option(
        None, "write it again every S seconds until Ctrl-C", kind=float, least=0.1, metavar="S"
    )


def figure_page(title: str, about: str, figures: list, refresh: float | None = None) -> str:
    """The plotting library's own script goes into the page once, so it opens without a network.

    `refresh`: seconds after which the open page is read again."""
    plots = [
        figure.to_html(full_html=False, include_plotlyjs=i == 0) for i, figure in enumerate(figures)
    ]
    again = f'<meta http-equiv="refresh" content="{refresh:g}">' if refresh else ""
    return PAGE.format(
        title=html.escape(title), about=html.escape(about), plots="\n".join(plots), refresh=again
    )


def report_command(
    module: str,
    about: str | None,
    page: Callable[[str, float | None], str],
    arguments: list[str] | None = None,
) -> int:
    """The command of a report: `page` makes it from the run's address and, while it is watched,
    the seconds between two looks."""

    def report(config: Report) -> None:
        folder = Path() if "://" in config.run else Path(config.run)
        out = Path(config.out) if config.out else folder / "report.html"
        write_page(out, page(config.run, config.watch))
        print(out, flush=True)
        while config.watch:
            time.sleep(config.watch)
            write_page(out, page(config.run, config.watch))

    return run_command(module, about, Report, report, arguments)


def write_page(out: Path, page: str, option: str = "--out") -> None:
    """`option`: which one has named the file."""
    try:
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{option} {out}: cannot be written: {error.strerror}") from None

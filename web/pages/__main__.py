"""Write an HTML file that opens offline: the page of a run, or a reviewed game.

python -m web.pages RUN                   RUN/report.html (report.html here if RUN is on S3)
python -m web.pages RUN --watch 10        write it again every 10 s; the open page reloads
python -m web.pages games.txt --game 3    review.html: the third game of a file, every decision
                                          with its exact value
python -m web.pages RUN --match 2         the same for match-0002 of a run with recorded games
"""

import sys
import time
from functools import partial
from pathlib import Path

from console.command import run_command
from console.config import Config, argument, check_out, option
from console.typed import printable
from oracle.review import choose_game, review_with_progress
from web.pages.kinds import page_at
from web.pages.offline import review_page
from web.pages.page import replace_page, write_page


class PageConfig(Config):
    source: str = argument("a run or a file of games", many=False, metavar="RUN_OR_FILE")
    out: str | None = option(
        None,
        "file to write (default RUN/report.html; report.html here if RUN is on S3; review.html "
        "here for a game)",
        metavar="FILE",
    )
    watch: float | None = option(
        None,
        "write the page again every S seconds until Ctrl-C",
        kind=float,
        least=0.1,
        metavar="S",
    )
    game: int | None = option(
        None, "review the game of this number, from 1", kind=int, least=1, metavar="N"
    )
    match: int | None = option(
        None, "review a game of this match of a run", kind=int, least=0, metavar="M"
    )

    def check(self) -> None:
        if self.out is not None:
            check_out(self.out)


def write_review(config: PageConfig) -> None:
    game = choose_game(config.source, config.match, config.game or 1)
    out = Path(config.out or "review.html")
    write_page(out, review_page(review_with_progress(game)))
    print(printable(str(out)))


def write_run_page(config: PageConfig) -> None:
    folder = Path() if "://" in config.source else Path(config.source)
    out = Path(config.out) if config.out else folder / "report.html"
    write = write_page if config.out else replace_page
    page = page_at(config.source)
    write(out, page.as_html(config.watch))
    print(printable(str(out)), flush=True)
    for remark in page.remarks:
        print(printable(f"{config.source}: {remark}"), file=sys.stderr)
    while config.watch:
        time.sleep(config.watch)
        write(out, page_at(config.source).as_html(config.watch))


def make_page(config: PageConfig) -> None:
    if Path(config.source).is_file() or config.game is not None or config.match is not None:
        write_review(config)
    else:
        write_run_page(config)


main = partial(run_command, "web.pages", __doc__, PageConfig, make_page)

if __name__ == "__main__":
    sys.exit(main())

"""Write an HTML file that opens offline: the page of a run, a reviewed game, or a summary of many.

python -m web.pages RUN                   RUN/report.html (report.html here if RUN is on S3)
python -m web.pages RUN --watch 10        write it again every 10 s; the open page reloads
python -m web.pages games.txt             review.html: a summary of the games of a file, mistakes
                                          and the ten most instructive positions
python -m web.pages games.txt --game 3    review.html: the third game, every decision with its
                                          exact value
python -m web.pages RUN --match 2         a summary of match-0002 of a run with recorded games;
                                          with --game 3 its third game
"""

import sys
import time
from pathlib import Path

from console.command import command
from console.config import check_out, option
from console.typed import printable
from oracle.review import GameConfig, review_with_progress, summary_with_progress
from web.pages.games import games_page
from web.pages.kinds import page_at
from web.pages.offline import review_page
from web.pages.page import replace_page, write_page


class PageConfig(GameConfig):
    out: str | None = option(
        None,
        "file to write (default RUN/report.html; report.html here if RUN is on S3; review.html "
        "here for games)",
        metavar="FILE",
    )
    watch: float | None = option(
        None, "write the page again every S seconds until Ctrl-C", least=0.1, metavar="S"
    )

    def check(self) -> None:
        if self.out is not None:
            check_out(self.out)


def write_review(config: PageConfig) -> None:
    out = Path(config.out or "review.html")
    if config.is_many:
        title = f"The games of {Path(config.source).name}"
        title += "" if config.match is None else f", match {config.match}"
        write_page(out, games_page(summary_with_progress(config), title))
    else:
        write_page(out, review_page(review_with_progress(config.chosen_game())))
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


main = command("web.pages", __name__, __doc__, PageConfig, make_page)

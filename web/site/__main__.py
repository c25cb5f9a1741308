"""Write a static site of the laboratory, which any web server or GitHub Pages can serve: play
against the perfect player, exact analysis in the browser, league, puzzles, documentation.

    python -m web.site                   into the folder `site`
    python -m web.site --out FOLDER      into another one

The documentation needs MkDocs: pip install -e '.[site]'."""

import importlib.util
import json
import shlex
import shutil
import tempfile
from pathlib import Path

from console.command import command
from console.config import Config, option
from console.errors import BadInput
from console.progress import Progress

# GitHub Pages serves a folder with this file as it is; it also marks a folder that may be replaced
MARK = ".nojekyll"


class Site(Config):
    out: str = option("site", "folder to write; an older site in it is replaced", metavar="FOLDER")

    def check(self) -> None:
        out = Path(self.out)
        if out.exists() and not (out / MARK).exists() and not is_empty(out):
            raise BadInput(f"--out {self.out}: holds something that is not a site; name another")


def is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def write(path: Path, contents: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(contents.encode() if isinstance(contents, str) else contents)


def write_site(folder: Path) -> None:
    """Write all files of the site into an empty folder."""
    # these import aiohttp and plotly, which --help does not need
    from plotly.offline import get_plotlyjs

    from web.site import data, documentation, pages

    files = data.files()
    with Progress("site", "parts", len(files) + 2) as progress:
        book, contents = data.book()
        write(folder / "data" / book, contents)
        write(folder / "plotly.js", get_plotlyjs())
        write(folder / MARK, "")
        for name, text in pages.pages().items():
            write(folder / name, text)
        for name, text in pages.modules(f"data/{book}").items():
            write(folder / "static" / name, text)
        progress.add(1)
        for name, make in files.items():
            write(folder / "data" / f"{name}.json", json.dumps(make(), separators=(",", ":")))
            progress.add(1)
        documentation.write(folder / "docs")
        progress.add(1)


def work(config: Site) -> None:
    if not importlib.util.find_spec("mkdocs"):
        raise BadInput("mkdocs is missing: pip install -e '.[site]'")
    out = Path(config.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    # beside the old site, so that replacing it is one renaming
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".site-") as scratch:
        made = Path(scratch) / "site"
        write_site(made)
        made.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        made.rename(out)
    print(config.out)
    show = ["python", "-m", "http.server", "--bind", "127.0.0.1", "--directory", config.out]
    print(f"to look at it: {shlex.join(show)}")


main = command("web.site", __name__, __doc__, Site, work)

"""The documentation of the static site: the project's Markdown pages, rendered by MkDocs in the
frame of the other pages. Links to files of the project lead to copies of them."""

import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from console.errors import BadInput, UserError
from web.site.pages import documentation_frame

ROOT = Path(__file__).parents[2]
BODY = Path(__file__).with_name("documentation.html")
SOURCES = ("*.md", "docs/*.md", "results/*.md")
COPIES = "files"  # folder of the copies, in that of the documentation
FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(\]\()([^)#\s:]+)(#[^)\s]*)?\)")
# the README lists the pages in a table, a row for each group
GROUP = re.compile(r"^\| (\w+) \| (.*) \|$", re.MULTILINE)
LISTED = re.compile(r"\[([^\]]+)\]\(([^)#\s:]+)\)")


def name_of(page: str) -> str:
    """Return the file name that a Markdown page of the project gets in the documentation."""
    if page == "README.md":
        return "index.md"
    return page.removeprefix("docs/").replace("/", "-").lower()


class Sources:
    """The pages and files of the project as the documentation has them, written into a folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        found = [path for pattern in SOURCES for path in sorted(ROOT.glob(pattern))]
        paths = [path.relative_to(ROOT).as_posix() for path in found]
        # by path in the project
        self.pages = {page: name_of(page) for page in paths}

    def write(self) -> None:
        for page, name in self.pages.items():
            text = (ROOT / page).read_text(encoding="utf-8")
            self.put(name, self.with_links(text, Path(page).parent))

    def put(self, name: str, contents: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(contents, encoding="utf-8")

    def with_links(self, text: str, base: Path) -> str:
        """Return a page of the folder `base` with its links adapted, except in code."""
        parts = FENCED.split(text)
        parts[::2] = [
            LINK.sub(lambda link: f"{link[1]}{self.target(base, link[2])}{link[3] or ''})", part)
            for part in parts[::2]
        ]
        return "".join(parts)

    def target(self, base: Path, link: str) -> str:
        """Return the address of a linked page, picture, file or folder, which is copied."""
        path = (ROOT / base / link).resolve()
        if not path.exists() or not path.is_relative_to(ROOT):
            raise BadInput(f"{base}: the documentation links to {link}, which does not exist")
        name = path.relative_to(ROOT).as_posix()
        if name in self.pages:
            return self.pages[name]
        if path.is_dir():
            self.put(f"{name}.md", "\n".join(self.listing(path, name)))
            return f"{name}.md"
        if path.suffix in (".jpg", ".svg"):
            shutil.copy(path, self.folder / path.name)
            return path.name
        return self.copy(path)

    def copy(self, path: Path) -> str:
        # as .txt, so that browsers show it
        name = f"{COPIES}/{path.relative_to(ROOT).as_posix()}.txt"
        self.put(name, path.read_text(encoding="utf-8"))
        return name

    def listing(self, folder: Path, title: str) -> Iterator[str]:
        """Yield the lines of a page that lists the files of a folder."""
        yield f"# {title.capitalize()}\n"
        for path in sorted(folder.iterdir()):
            if path.is_file():
                yield f"- [{path.name}]({self.copy(path)}){summary(path)}"

    def navigation(self) -> list[dict[str, object]]:
        """Return the pages in the groups of the README, and the others, as MkDocs takes them."""
        groups: list[dict[str, object]] = [{"Overview": "index.md"}]
        rest = set(self.pages.values()) - {"index.md"}
        for title, row in GROUP.findall((ROOT / "README.md").read_text(encoding="utf-8")):
            listed = [(name, self.target(Path(), link)) for name, link in LISTED.findall(row)]
            pages = [{name.capitalize(): page} for name, page in listed if page.endswith(".md")]
            rest -= {page for _, page in listed}
            if pages:
                groups.append({title.capitalize(): pages})
        return [*groups, {"More": sorted(rest)}] if rest else groups


def summary(path: Path) -> str:
    """Return the first sentence of a Python file's docstring, behind a colon."""
    text = ast.get_docstring(ast.parse(path.read_text())) if path.suffix == ".py" else None
    return f": {text.split('. ')[0].splitlines()[0].rstrip('.:')}" if text else ""


def configuration(sources: Sources, theme: Path) -> dict[str, object]:
    return {
        "site_name": "Quarto laboratory",
        "docs_dir": str(sources.folder),
        "nav": sources.navigation(),
        # without a name: none of the themes that MkDocs has, which load files from other servers
        "theme": {"name": None, "custom_dir": str(theme), "search_index_only": True},
        "use_directory_urls": False,
        "plugins": ["search"],
        "markdown_extensions": ["sane_lists"],
        "strict": True,
        "validation": {"links": {"anchors": "warn"}, "nav": {"omitted_files": "ignore"}},
    }


def write(folder: Path) -> None:
    """Write the documentation; raise an error that names a link that leads nowhere."""
    if not (ROOT / "docs").is_dir():
        raise BadInput("the documentation is missing here: make the site in a clone of the project")
    # MkDocs takes other paths relative to the configuration
    folder = folder.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        sources, theme = Sources(Path(scratch) / "docs"), Path(scratch) / "theme"
        theme.mkdir()
        sources.folder.mkdir()
        sources.write()
        frame = documentation_frame(BODY.read_text(encoding="utf-8"))
        (theme / "main.html").write_text(frame, encoding="utf-8")
        config = Path(scratch) / "mkdocs.yml"
        # JSON is YAML, too
        config.write_text(json.dumps(configuration(sources, theme)), encoding="utf-8")
        words = ["build", "--config-file", str(config), "--site-dir", str(folder)]
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", *words], capture_output=True, text=True
        )
    if done.returncode:
        lines = done.stderr.splitlines()
        warnings = [line for line in lines if not line.startswith("INFO")]
        raise UserError(f"mkdocs: {' '.join(' '.join(warnings).split())}")
    # they need the address at which the site will be, and contain the time
    for sitemap in folder.glob("sitemap.xml*"):
        sitemap.unlink()

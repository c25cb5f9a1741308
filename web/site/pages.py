"""The pages and modules of the static site: those of the server, with relative addresses, so that
the site also works in a folder of its host.

Pages that need a server are left out. `service.js` is replaced by a module that answers requests in
the browser."""

import re
from itertools import chain
from pathlib import Path

from web.documents import MENU, PAGES, error_page, framed, page
from web.pages.offline import STATIC, fill, read_static, with_imports

OWN = Path(__file__).with_name("static")
SERVED = ("/runs", "/run", "/api")  # pages that need a server
SHOWN = {path: PAGES[path] for path in PAGES if path not in SERVED}
DOCUMENTATION = "/docs/index.html"
OWN_STYLE = "documentation.css"
NAMES = "|".join(path[1:] for path in SHOWN if path != "/")
PAGE_LINK = re.compile(rf'(["\'`])/({NAMES})(?=["\'`?#])')
ROOT_LINK = re.compile(r'((?:href=)["\'`])/(?=["\'`])|(["\'`])/(?=#)')
FILE_LINK = re.compile(r'(["\'`])/(static/|plotly\.js|docs/)')
# plotly adds a style sheet of its own, hence `unsafe-inline` for styles
POLICY = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; form-action 'none'; base-uri 'none'"
)


def menu() -> dict[str, str]:
    """Return the titles of the site's menu by address."""
    return {to: PAGES[to][1] for to in MENU if to in SHOWN} | {DOCUMENTATION: "Docs"}


def file_of(path: str) -> str:
    return f"{path[1:] or 'index'}.html"


def relative(text: str, root: str = "") -> str:
    """Return a page or module with addresses relative to a file from which `root` leads to the
    site's folder."""
    text = PAGE_LINK.sub(rf"\1{root}\2.html", text)
    text = ROOT_LINK.sub(lambda link: f"{link[1] or link[2]}{root or './'}", text)
    return FILE_LINK.sub(rf"\1{root}\2", text)


def as_static(html: str, root: str = "") -> str:
    """Return a page of the server as one of the site."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    html = html.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{policy}')
    return relative(html.replace('<body class="', '<body class="site '), root)


def pages() -> dict[str, str]:
    """Return the site's pages by file name."""
    missing = error_page(404, "there is no such page here", menu())
    # hosts show a file of this name for addresses without a page
    return {file_of(path): as_static(page(path, menu())) for path in SHOWN} | {
        "404.html": as_static(missing)
    }


def documentation_frame(body: str) -> str:
    """Return the template of a page of the documentation, which lies one folder deeper."""
    html = framed("documentation", "{{ page.title }}", body, menu(), DOCUMENTATION)
    style = '<link rel="stylesheet" href="/static/style.css">'
    return as_static(
        html.replace(style, f"{style}\n{style.replace('style.css', OWN_STYLE)}"), "../"
    )


def modules(book: str) -> dict[str, str]:
    """Return the site's modules and styles by file name. `book`: address of the opening book."""
    names = chain.from_iterable(with_imports(name) for name, _ in SHOWN.values())
    texts = {f"{name}.js": read_static(f"{name}.js") for name in (*names, "theme")}
    for file in STATIC.iterdir():
        if file.suffix in (".css", ".svg"):
            texts[file.name] = read_static(file.name)
    own = {file.name: file.read_text(encoding="utf-8") for file in OWN.iterdir()}
    own["worker.js"] = fill(own["worker.js"], {"book": book})
    return {name: as_module(text) for name, text in (texts | own).items()}


def as_module(text: str) -> str:
    """Return a module whose imports are relative to its own folder, its links to the page's."""
    return relative(text.replace('from "/static/', 'from "./'))

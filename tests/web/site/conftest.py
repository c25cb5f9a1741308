"""The static site, served by Python's own file server in a folder of its host, as on GitHub
Pages."""

import functools
import http.server
import threading
from typing import ClassVar

import pytest

from tests.commands import call
from tests.web.serving import wait_for

PREFIX = "/laboratory/"


class Files(http.server.SimpleHTTPRequestHandler):
    served: ClassVar[list[str]] = []

    def log_request(self, *_):
        self.served.append(self.path)


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory):
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("host") / PREFIX.strip("/")
    done = call("web.site", "--out", folder)
    assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="session")
def site_address(site_folder):
    handler = functools.partial(Files, directory=site_folder.parent)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}{PREFIX}"
        server.shutdown()
        thread.join()


@pytest.fixture
def open_site(browser, site_address):
    """Return a function that opens a page of the site. Assert at the end that no page had an error,
    that no file was missing and that no request left the site."""
    contexts, problems = [], []

    def watch(request):
        if not request.url.startswith((site_address, "data:", "blob:")):
            problems.append(request.url)

    def open_site(path="index.html", width=1200, theme="light"):
        size = {"width": width, "height": 900}
        contexts.append(browser.new_context(viewport=size, color_scheme=theme))
        contexts[-1].set_default_timeout(20_000)
        # of the context, since a worker's requests are not those of a page
        contexts[-1].on("request", watch)
        page = contexts[-1].new_page()
        page.on("console", lambda said: said.type == "error" and problems.append(said.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(site_address + path)
        # the page of an error has no script that could say so
        wait_for(page, "document.body.matches('[data-ready], .error')")
        return page

    yield open_site
    for context in contexts:
        context.close()
    assert problems == []

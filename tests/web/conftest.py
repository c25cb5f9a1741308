"""One server with small runs and one browser, shared by all tests of a process."""

import os
import shutil

import pytest

from tests.commands import call
from tests.web.serving import serving

REQUIRED = os.environ.get("QUARTO_BROWSER_TESTS") == "required"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
HOW = "apt-get install chromium, and pip install -e '.[webtest]'; then make test"
SMALL = ("--population", 8, "--offspring", 8, "--games", 20, "--fresh", 100)


def make_runs(folder):
    """Make a run of each kind; return the folder."""
    commands = {
        "evolution": ("evo.run", *SMALL, "--generations", 4),
        "cup": ("arena.run", "rulebased", "dumb", "random", "--games", 20, "--record"),
        "inner/selfplay": ("selfplay.run", "--games", 400, "--round", 100, "--tests", 20),
        "data": ("selfplay.fit.dataset", "--positions", 100),
    }
    for name, command in commands.items():
        done = call(*command, "--workers", 0, "--store", folder / name)
        assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    return make_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="session")
def server(runs):
    with serving(runs) as server:
        yield server


def missing(what):
    if REQUIRED:
        pytest.fail(f"{what} is missing, and QUARTO_BROWSER_TESTS=required: {HOW}")
    pytest.skip(f"{what} is missing: {HOW}")


@pytest.fixture(scope="session")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright")
    program = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if not program:
        missing("Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, server):
    """Return a function that opens a page of the server. Assert at the end that no page had an
    error or sent a request to another address."""
    contexts, errors, elsewhere = [], [], []

    def collect_errors(message, refused):
        # the browser logs an error for every refused request
        expected = refused and message.text.startswith("Failed to load resource")
        if message.type == "error" and not expected:
            errors.append(message.text)

    def open_page(path="/", width=1200, theme="light", refused=False):
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=theme)
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on("console", lambda message: collect_errors(message, refused))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((server.address, "data:", "blob:", "about:"))
                else elsewhere.append(request.url)
            ),
        )
        page.goto(server.address + path)
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == [] and elsewhere == []

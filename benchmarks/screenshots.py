"""Pictures of the pages for the documentation: board, analysis, flash card, run and league. Evolves
a small run first; half a minute; needs Chromium."""

import contextlib
import os
import tempfile
from pathlib import Path

from benchmarks.browser import browser, server
from console.command import command
from console.config import Config, option
from console.errors import BadInput
from evo.config import EvolveConfig
from evo.run import run_evolution

DOCS = Path(__file__).parent.parent / "docs"
GAME = "8-a1_7-d4_0-b2_f-c3_1-a3_e-d2_3-c2_"
# name -> (path, theme, height)
PICTURES = {
    "web-board": (f"/#opponent=pro&you=second&seed=5&game={GAME}", "light", 720),
    "web-analysis": ("/analyse", "light", 800),
    "web-learn": ("/learn#size=3&deck=8&card=8-3", "light", 800),
    "web-run": ("/run?name=evolution", "dark", 820),
    "web-league": ("/league", "light", 1180),
}
DRAWN = "[...document.querySelectorAll('.figure')].every((figure) => figure.dataset.drawn)"
WIDTH, QUALITY, MAX_BYTES = 1160, 72, 150_000


class Pictures(Config):
    out: str = option(str(DOCS), "the folder to write to (default docs)", metavar="FOLDER")

    def check(self) -> None:
        if not Path(self.out).is_dir():
            raise BadInput(f"--out {self.out}: there is no such folder")
        self.out = os.path.abspath(self.out)


def take(config: Pictures) -> None:
    # a temporary working directory, so that the pictures show no folder of this machine
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        run_evolution(EvolveConfig(generations=40, store="runs/evolution", workers=0))
        with server("--runs", "runs") as address, browser() as chromium:
            for name, (path, theme, height) in PICTURES.items():
                size = {"width": WIDTH, "height": height}
                page = chromium.new_context(
                    viewport=size, color_scheme=theme, bypass_csp=True
                ).new_page()
                page.goto(address + path)
                page.wait_for_selector("body[data-ready]")
                page.wait_for_function(DRAWN)
                # the end of the animations
                page.wait_for_timeout(700)
                out = Path(config.out) / f"{name}.jpg"
                page.screenshot(path=out, type="jpeg", quality=QUALITY)
                assert out.stat().st_size < MAX_BYTES, f"{out}: {out.stat().st_size} bytes"
                print(out)


main = command("benchmarks.screenshots", __name__, __doc__, Pictures, take)

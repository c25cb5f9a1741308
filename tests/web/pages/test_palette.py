"""The palette: its colours can be distinguished, also by colour-blind readers, on all pages."""

from itertools import combinations

import numpy as np
import pytest

from web.pages.palette import COLOURS, DASHES, SYMBOLS, mark

LIGHT, DARK = "#fffdf8", "#26201b"
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
# linear RGB with normal vision and without one kind of cone (Viénot, Brettel and Mollon, 1999)
VISION = {
    "normal": np.eye(3),
    "protanopes": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.004, -0.004, 1]]),
    "deuteranopes": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.022, 0.022, 1]]),
}


def linear(colour):
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(colour, vision):
    xyz = TO_XYZ @ np.clip(vision @ linear(colour), 0, 1) / [0.9505, 1, 1.089]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize(
    ("vision", "least"), [("normal", 20), ("protanopes", 5), ("deuteranopes", 5)]
)
def test_any_two_of_24_colours_can_be_distinguished(vision, least):
    assert len(set(COLOURS)) >= 24
    labs = [lab(colour, VISION[vision]) for colour in COLOURS]
    assert min(np.linalg.norm(a - b) for a, b in combinations(labs, 2)) >= least


def test_every_colour_stands_out_on_a_light_and_on_a_dark_page():
    def luminance(colour):
        return TO_XYZ[1] @ linear(colour)

    for colour in COLOURS:
        assert (luminance(LIGHT) + 0.05) / (luminance(colour) + 0.05) >= 2
        assert (luminance(colour) + 0.05) / (luminance(DARK) + 0.05) >= 3


def test_no_two_of_24_lines_have_the_same_symbol_and_dash():
    marks = [mark(number) for number in range(24)]
    different = {(style["marker"]["symbol"], style["line"]["dash"]) for style in marks}
    assert len(different) == 24 <= len(SYMBOLS) * len(DASHES)

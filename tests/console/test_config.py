"""Configurations: the same fields on a command line, in Python, and in a run's metadata."""

import re
from dataclasses import field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.config import Config, argument, option
from console.errors import BadInput
from store.job import Job
from tests.prose import ROOT, files


class Demo(Job):
    in_name = ("strategy",)

    players: list[str] = argument("two or more, half of them (50 %) good")
    games: int = option(1000, "games a pair", least=2, even=True)
    sigma: float = option(0.5, "step in %, or more", least=0)
    strategy: str = option("ga", "how", choices=("ga", "cma"))
    label: str = option("", "a name")
    quick: bool = option(True, "look less far")
    depth: int | None = option(None, "how deep", name="--look-ahead", kept=False)
    found: list[int] = field(default_factory=list)

    def check(self) -> None:
        if self.games == 666:
            raise BadInput("--games 666: no")

    def what(self) -> str:
        return f"demo-{self.strategy}"


class Two(Config):
    run: str = argument("a run", metavar="RUN")
    step: str | None = argument("a step", metavar="STEP")
    rows: int = option(20, "rows")


def parse(*arguments, cls=Demo):
    return cls.parse("python -m demo", "About 100 % of it.", list(arguments))


def refused(*arguments, cls=Demo):
    with pytest.raises(BadInput) as error:
        parse(*arguments, cls=cls)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_command_line_and_python_make_the_same_configuration():
    typed = parse("a", "--games", "4", "b", "--sigma=2", "--no-quick", "--look-ahead", "3")
    called = Demo(players=["a", "b"], games=4, sigma=2.0, quick=False, depth=3)
    assert typed == called
    assert parse() == Demo()


def test_options_that_do_not_affect_the_result_are_not_stored():
    kept = Demo(workers=3, depth=4, store="x").kept()
    assert kept == {
        "seed": 0,
        "players": [],
        "games": 1000,
        "sigma": 0.5,
        "strategy": "ga",
        "label": "",
        "quick": True,
    }


def test_the_default_store_is_named_after_the_job():
    assert parse("--seed", "7", "--strategy", "cma").store == "runs/demo-cma-7"
    assert parse("--games", "1000", "--workers", "2", "--look-ahead", "3").store == "runs/demo-ga-0"
    assert Demo(store=Path("some/where")).store == "some/where"


def test_every_configuration_has_its_own_default_store():
    others = [["a", "b"], ["b", "a"], ["--games", "4"], ["--no-quick"], ["--sigma", "1"]]
    stores = [parse(*arguments).store for arguments in others]
    assert stores == [parse(*arguments, "--look-ahead", "3").store for arguments in others]
    assert len({*stores, Demo().store}) == len(others) + 1
    assert all(re.fullmatch(r"runs/demo-ga-0-[0-9a-f]{6}", store) for store in stores)


def test_giving_a_derived_default_explicitly_keeps_the_default_store():
    class Derived(Demo):
        again: int = option(None, "ten times --games")

        def check(self) -> None:
            self.again = self.again or 10 * self.games

    assert Derived(again=10_000).store == Derived().store == "runs/demo-ga-0"
    assert Derived(again=20_000).store != Derived().store


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sigma", "-1"], "--sigma -1: give 0 or more"),
        (["--sigma", "-1e-3"], "--sigma -1e-3: give 0 or more"),
        (["--sigma", "-.5"], "--sigma -.5: give 0 or more"),
        (["--sigma", "-inf"], "--sigma -inf: give a number"),
        (["--sigma=-1"], "--sigma -1: give 0 or more"),
        (["--games", "3"], "--games 3: give an even number, 2 or more"),
        (["--games", "2.0"], "--games 2.0: give a whole number"),
        (["--games", ""], "--games '': give a whole number"),
        (["--games", "666"], "--games 666: no"),
        (["--look-ahead", "x"], "--look-ahead x: give a whole number"),
        (["--store", ""], "--store '': give a folder or an s3:// address"),
        (["--workers", "-1"], "--workers -1: give 0 or more"),
        (["--patience", "0"], "--patience 0: give 0.001 or more"),
        (["--strategy", "es"], "--strategy es: give one of ga, cma"),
    ],
)
def test_bad_values_are_refused_with_their_option_and_what_is_valid(arguments, message):
    assert refused(*arguments) == message


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--game", "4"], "unrecognized arguments: --game"),
        (["--no-such"], "unrecognized arguments: --no-such"),
        (["--sigma"], "argument --sigma: expected one argument"),
        (["--sigma", "--json"], "argument --sigma: expected one argument"),
        (["--json=yes"], "argument --json: ignored explicit argument 'yes'"),
    ],
)
def test_an_invalid_command_line_is_refused_in_one_line_that_mentions_the_help(arguments, part):
    message = refused(*arguments)
    assert part in message and message.endswith("(--help lists the options)")


def test_python_callers_get_the_same_messages():
    with pytest.raises(BadInput, match=r"^--games 3: give an even number, 2 or more$"):
        Demo(games=3)
    with pytest.raises(BadInput, match=r"^--games 2\.0: give a whole number$"):
        Demo(games=2.0)


def test_positional_arguments_may_stand_anywhere():
    assert parse("r", "--rows", "3", "s", cls=Two) == Two(run="r", step="s", rows=3)
    assert parse("--rows", "3", "r", cls=Two) == Two(run="r", rows=3)
    assert "RUN" in refused("--rows", "3", cls=Two)
    assert "unrecognized arguments: three" in refused("one", "two", "three", cls=Two)


@pytest.mark.parametrize("columns", ["1", "40", "200"])
def test_help_shows_defaults_limits_and_choices_at_any_width(columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    with pytest.raises(SystemExit) as leaving:
        parse("--help")
    assert leaving.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    for part in (
        "About 100 % of it.",
        "half of them (50 %) good",
        "games a pair (an even number, 2 or more; default 1000)",
        "step in %, or more (0 or more; default 0.5)",
        "how (one of ga, cma; default ga)",
        "(default 0)",
        "(default: one per core; 0: in this process)",
        "--no-quick",
    ):
        assert part in text, part
    assert "None" not in text and "default )" not in text


def test_a_command_s_own_options_come_before_shared_ones(capsys):
    with pytest.raises(SystemExit):
        parse("--help")
    text = capsys.readouterr().out.partition("options:")[2]
    assert text.index("--games") < text.index("--store") < text.index("--workers")


words = st.text(st.characters(exclude_characters="\0"), min_size=1).filter(
    lambda text: not text.startswith("-")
)


@given(
    players=st.lists(words, max_size=3),
    # above 666, which Demo refuses
    games=st.integers(334, 10**9).map(lambda half: 2 * half),
    sigma=st.floats(0, 1e300),
    label=words,
    json=st.booleans(),
)
def test_every_configuration_can_be_typed(players, games, sigma, label, json):
    typed = [*players, "--games", str(games), f"--sigma={sigma}", "--label", label]
    expected = Demo(players=players, games=games, sigma=sigma, label=label, json=json)
    assert parse(*typed, *["--json"] * json) == expected


def test_no_configuration_has_the_decorator_of_dataclasses():
    """The base class makes them dataclasses; a second time, they would lose their options."""
    decorated = re.compile(r"@dataclass.*\n *class \w+\([^)]*(Config|Job|Work|Stored|Benchmark)\b")
    assert not [file for file in files("source") if decorated.search((ROOT / file).read_text())]

"""Player specs: parsing them, writing them, and making the same player again."""

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

import agents
from agents import evolved, ga
from agents.player import find
from console.option import Option
from store import Run

QUICK = [name for name in agents.names() if name not in ("human",) and "beam" not in name]


def values(option: Option):
    """Return a strategy that draws valid values of the option."""
    if option.choices:
        return st.sampled_from(option.choices)
    if option.kind is bool:
        return st.booleans()
    least = 0 if option.least is None else option.least
    most = least + 20 if option.most is None else option.most
    if option.kind is int:
        return st.integers(int(least), int(most))
    return st.floats(least, most, allow_nan=False)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from(QUICK))
def test_the_spec_of_a_player_makes_an_equal_player(data, name):
    # a text, such as the name of a run or of a strategy, must name something that exists
    drawn = find(name).options.items()
    options = {key: o for key, o in drawn if o.choices or o.kind is not str}
    chosen = data.draw(
        st.fixed_dictionaries({}, optional={k: values(o) for k, o in options.items()})
    )
    player = find(name)(**chosen)
    again = agents.make(player.spec)
    assert again.spec == player.spec and again.digest == player.digest
    assert again.settings == player.settings


def test_a_label_changes_what_tables_show_and_nothing_else():
    player = agents.make("quick=pro:bound=1,value=1")
    assert player.label == "quick" and player.spec == "pro:bound=1,value=1"
    assert player.digest == agents.make(player.spec).digest
    assert agents.make("pro:bound=1").label == "pro:bound=1"


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("random,dumb", ["random", "dumb"]),
        ("hardcoded,pro:bound=1,value=1", ["hardcoded", "pro:bound=1,value=1"]),
        ("pro:bound=1,value=1,random", ["pro:bound=1,value=1", "random"]),
        ("a=pro:bound=1,value=1,b=random", ["a=pro:bound=1,value=1", "b=random"]),
        ("random,value=1", ["random", "value=1"]),
    ],
)
def test_a_list_of_players_keeps_options_with_their_player(text, specs):
    assert agents.split_specs(text) == specs


def write_mind(folder, holds: str, genes) -> str:
    table = pa.table({"gene": list(genes), "value": [float(i) for i in range(len(genes))]})
    with Run(str(folder), "evolution", {"seed": 1}) as run:
        run.write("mind", table, {"holds": holds, "made_by": "a test"})
    return str(folder)


def test_a_run_can_be_a_player(tmp_path):
    run = write_mind(tmp_path / "ga", ga.HOLDS, ga.GENES)
    player = agents.make(f"champion=ga:run={run}")
    assert player.mind.parameters.tolist() == [0, 1, 2, 3, 4]
    assert player.spec == f"ga:run={run}" and player.label == "champion"
    run = write_mind(tmp_path / "evolved", evolved.HOLDS, evolved.GENES)
    assert agents.make(f"evolved:run={run}").mind.parameters.tolist() == list(
        range(len(evolved.GENES))
    )


def test_a_run_of_another_kind_is_refused_with_a_message_that_names_its_contents(tmp_path):
    run = write_mind(tmp_path / "ga", ga.HOLDS, ga.GENES)
    with pytest.raises(ValueError, match=r"beam: run=.* holds the ga genes; beam is made of"):
        agents.make(f"beam:run={run}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"there is no run .*empty"):
        agents.make(f"rl:run={tmp_path / 'empty'}")
    with Run(str(tmp_path / "begun"), "evolution", {}) as begun:
        begun.write("round-00000", pa.table({"id": [1]}))
    with pytest.raises(ValueError, match="it is unfinished"):
        agents.make(f"ga:run={tmp_path / 'begun'}")


def test_a_player_with_another_mind_has_another_spec():
    player = agents.make("ga")
    other = player.with_mind(agents.make("ga:preset=sample").mind, "ga:preset=sample")
    assert other.spec == "ga:preset=sample" and player.spec == "ga"
    assert other.digest == agents.make("ga:preset=sample").digest != player.digest

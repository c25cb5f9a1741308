import csv

import pytest

from tests.agents.golden import GOLDEN, fingerprint, specs

with GOLDEN.open() as file:
    RECORDED = {row["player"]: row["md5"] for row in csv.DictReader(file)}


def test_every_player_is_recorded():
    assert sorted(RECORDED) == sorted(specs())


@pytest.mark.parametrize("spec", RECORDED)
def test_a_player_plays_its_recorded_games(spec):
    assert fingerprint(spec) == RECORDED[spec]

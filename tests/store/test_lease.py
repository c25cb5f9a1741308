"""The lease on S3, in all interleavings of two and three writers. What may happen, and what is
checked, stands in lease_search.py. Explored here, and by the command with a minute or two:

writers  crashes  faults  clock jumps  interleavings  events  states
      2        1       0            1          7,306      11     662
      2        1       1            0          1,020       9     161
      3        1       0            0         62,052      12     619
      2        1       1            1        116,762      13   3,481   by the command
      2        1       0            2        141,170      13   7,014   by the command
      3        1       0            1      7,527,462      15  15,506   by the command
"""

import pytest

from tests.store.lease_search import BUGS, Search, find
from tests.store.lease_world import Limits

# within which limits, and at least so much is explored
EXPLORED = {
    Limits(writers=2, crashes=1, faults=0, jumps=1): (1000, 10),
    Limits(writers=2, crashes=1, faults=1, jumps=0): (500, 8),
    Limits(writers=2, crashes=1, faults=1, jumps=0, together=True): (500, 8),
    Limits(writers=3, crashes=1, faults=0, jumps=0): (10_000, 10),
}


@pytest.mark.parametrize("limits", EXPLORED, ids=str)
def test_at_most_one_writer_holds_the_lease_and_an_expired_one_can_be_taken(limits):
    search = Search(limits).run()
    interleavings, events = EXPLORED[limits]
    assert search.interleavings() >= interleavings and search.depth >= events


@pytest.mark.parametrize("bug", BUGS)
def test_the_search_finds_a_planted_bug(bug):
    assert find(bug, Limits(writers=3, crashes=1, faults=0, jumps=1))

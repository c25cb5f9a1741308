"""Changed files: either the exact table is read, or an error of one line names the file."""

import pickle
import random

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from store import DamagedFile, Run, StoreError
from store.parquet import Unreadable, read_about

TABLE = pa.table(
    {
        "name": [f"player {i}" for i in range(60)],
        "wins": [i * i for i in range(60)],
        "genes": [[i / 7, i / 3] for i in range(60)],
    }
)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Return a run with one step, the path of its file, and the bytes of the file."""
    folder = tmp_path_factory.mktemp("damage")
    with Run(folder, "demo", {"seed": 1}) as run:
        run.write("step", TABLE, {"holds": "something"})
    return run, folder / "step.parquet", (folder / "step.parquet").read_bytes()


def look(stored, data):
    """Return whether the exact table and metadata are read from these bytes. If not, assert that
    both are refused with a proper message."""
    run, file, whole = stored
    file.write_bytes(data)
    try:
        about, table = run.about("step"), run.read("step")
    except StoreError as error:
        assert str(error).startswith(f"{file}: is ") and "\n" not in str(error)
        with pytest.raises(StoreError):
            run.table("step")
        return False
    finally:
        file.write_bytes(whole)
    assert about["measured"] == {"holds": "something"} and table.equals(TABLE)
    return True


def cut(whole, place):
    return int(place * len(whole))


places = st.floats(0, 1, exclude_max=True)


@given(places)
def test_a_truncated_file_is_refused(stored, place):
    whole = stored[2]
    assert not look(stored, whole[: cut(whole, place)])


@given(places, st.integers(1, 255))
def test_a_changed_byte_is_refused(stored, place, change):
    data = bytearray(stored[2])
    data[cut(data, place)] ^= change
    assert not look(stored, bytes(data))


def test_a_flipped_bit_is_refused_wherever_it_is(stored):
    """Flips a random bit of every byte, including footer, checksum and length."""
    chance = random.Random(0)
    for at in range(len(stored[2])):
        data = bytearray(stored[2])
        data[at] ^= 1 << chance.randrange(8)
        with pytest.raises(Unreadable):
            read_about(bytes(data))


@given(places, places, st.binary(max_size=64))
@example(0.0, 1.0, b"")
@example(0.5, 0.5, b"\0" * 64)
def test_a_part_that_is_lost_added_or_overwritten_is_refused(stored, start, end, other):
    whole = stored[2]
    start, end = sorted((cut(whole, start), cut(whole, end)))
    data = whole[:start] + other + whole[end:]
    assert look(stored, data) == (data == whole)


@given(st.binary(max_size=300))
def test_any_other_bytes_are_refused(stored, data):
    assert not look(stored, data)


def test_the_error_says_what_to_do_and_keeps_the_problem_separate(stored):
    run, file, whole = stored
    file.write_bytes(whole[:100])
    with pytest.raises(DamagedFile) as error:
        run.read("step")
    file.write_bytes(whole)
    problem = pickle.loads(pickle.dumps(error.value)).problem
    assert problem.startswith(f"{file}: is damaged: ") and "delete" not in problem
    assert (
        str(error.value)
        == f"{problem}: delete this file; the command that made the run makes it again"
    )


def test_an_unchanged_file_is_read(stored):
    assert look(stored, stored[2])

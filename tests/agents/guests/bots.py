"""Programs that speak the protocol of players, with code of the caller's in it."""

import sys
import textwrap
from pathlib import Path

# Answers as the protocol wants it, but for what is put in the places of these words.
BOT = """
    import random, sys, time
    BEGIN
    for line in sys.stdin:
        word, board, hand = (*line.split(), "", "", "")[:3]
        free = [c for c, p in enumerate(board.replace("/", "")) if p == "."]
        pool = [p for p in "0123456789abcdef" if p not in board and p != hand]
        EVERY
        if word == "quarto":
            print("quarto 1 bot\\nready", flush=True)
        elif word == "new":
            random.seed(int(board))
            print("ready", flush=True)
        elif word == "place":
            cell = random.choice(free)
            PLACE
            print("abcd"[cell // 4] + "1234"[cell % 4], flush=True)
        elif word == "give":
            piece = random.choice(pool)
            GIVE
            print(piece, flush=True)
        elif word == "quit":
            break
"""
# Children that try to outlive the program.
ESCAPES = [
    "setsid env -i sh stay.sh",
    "sh stay.sh & exit",
    "setsid env -i sh stay.sh & exit",
    "trap '' TERM HUP INT; exec sh stay.sh",
]
STAY = "echo $$ >> pids; exec sleep 600"
START_ESCAPES = f"""import os, subprocess
    for words in {ESCAPES!r}:
        subprocess.Popen(words, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not os.path.exists("pids") or len(open("pids").read().split()) < {len(ESCAPES)}:
        time.sleep(0.01)
"""


def write_bot(folder: Path, **places: str) -> str:
    """Write a program with the caller's code in these places, and return its player spec."""
    folder.mkdir(parents=True, exist_ok=True)
    text = BOT
    for place in ("BEGIN", "EVERY", "PLACE", "GIVE"):
        text = text.replace(place, places.get(place.lower(), "pass"))
    (folder / "bot.py").write_text(textwrap.dedent(text))
    return f"program:{sys.executable} {folder}/bot.py"


def escaping(folder: Path, **places: str) -> str:
    """Write a program whose children try to outlive it, and return its player spec."""
    folder.mkdir(parents=True)
    (folder / "stay.sh").write_text(STAY)
    return write_bot(folder, begin=START_ESCAPES, **places)

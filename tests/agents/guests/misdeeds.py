"""Programs that speak the protocol of players and then do something that no player may do."""

import random
from pathlib import Path

from tests.agents.guests.bots import write_bot

MISDEEDS = [
    "sys.exit(random.randrange(256))",
    "import os; os.abort()",
    "sys.stdout.buffer.write(random.randbytes(random.randrange(1, 300)))",
    "sys.stdout.write('place ' * random.randrange(2000))",
    "print('a' + str(random.randrange(9)))",
    "print('info ' + 'x' * random.randrange(5000))",
    "[print('info') for _ in range(random.randrange(2500))]",
    "[sys.stdout.write('yes' * 1000) for _ in iter(int, 1)]",
    "[sys.stderr.write('no' * 1000) for _ in range(300)]",
    "time.sleep(random.random() / 4)",
    "print(flush=True); print(flush=True)",
    "sys.stdout.close()",
    "import os; os.close(0)",
    "print('error')",
    "print('quarto 1 x')",
    "print(piece if word == 'give' else word, end='', flush=True); sys.exit(0)",
    "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True); sys.exit(1)",
]


def misbehaving(folder: Path, number: int) -> str:
    """Return the spec of program `number`, which misbehaves at random decisions."""
    chance = random.Random(number)
    code, often = chance.choice(MISDEEDS), chance.choice((0.02, 0.2, 0.6))
    every = f"piece = '0'\n        if CHANCE.random() < {often}: {code}"
    return write_bot(folder, begin=f"CHANCE = random.Random({number})", every=every)

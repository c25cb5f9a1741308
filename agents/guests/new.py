"""Writes a file with a compiled player that can be played at once, and changed.

python -m agents.guests.new mine.py                   writes it
python -m terminal mine.py:Greedy pro --games 1000    plays it
"""

from pathlib import Path

from console.command import command
from console.config import Config, argument, check_out
from console.errors import BadInput
from console.typed import command_line

TEMPLATE = Path(__file__).with_name("template.py")


class NewConfig(Config):
    """Where to write the file."""

    file: str = argument("a Python file that does not exist yet", metavar="FILE.py")

    def check(self) -> None:
        if not self.file.endswith(".py"):
            raise BadInput(f"{self.file}: give a name that ends with .py")
        if Path(self.file).exists():
            raise BadInput(f"{self.file}: exists already: give another name")
        check_out(self.file)


def write(config: NewConfig) -> None:
    Path(config.file).write_text(TEMPLATE.read_text())
    spec = f"{config.file}:Greedy"
    print(f"{config.file}: a working player; change it and measure it:")
    for module, *words in (
        ("terminal", spec, "rulebased", "--games", 10000),
        ("oracle.accuracy", spec),
        ("arena.run", spec, "pro", "evolved"),
    ):
        print(f"  {command_line(module, *words)}")


main = command("agents.guests.new", __name__, __doc__, NewConfig, write)

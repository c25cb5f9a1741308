"""List, compare and delete runs.

python -m cli.runs                     the runs in the folder runs
python -m cli.runs FOLDER              those in another folder, or at an s3:// address
python -m cli.runs --compare A B       differences in configuration and result
python -m cli.runs --remove RUN        delete a run, but no other files in its folder
"""

from console.command import command
from console.config import Config, argument, option
from console.errors import BadInput
from console.table import print_table
from console.typed import command_line, printable
from store.folder import StoreError
from store.kinds import differences
from store.runs import HERE, find_runs, remove, summary_of


class Runs(Config):
    where: list[str] = argument(f"a folder with runs (default {HERE})", metavar="FOLDER")
    compare: bool = option(False, "show the differences between two runs")
    remove: bool = option(False, "delete the runs")

    def check(self) -> None:
        if self.compare and self.remove:
            raise BadInput("--compare and --remove: give one of the two")
        if self.compare and len(self.where) != 2:
            raise BadInput(f"--compare: name two runs, {len(self.where)} given")
        if self.remove and not self.where:
            raise BadInput("--remove: name the run to delete")


def work(config: Runs) -> None:
    if config.compare:
        compare(*config.where)
    elif config.remove:
        for address in config.where:
            print(printable(remove(address)))
    else:
        for address in config.where or [HERE]:
            list_runs(address)


def list_runs(address: str) -> None:
    # imports the packages of all kinds of runs
    from web.pages.kinds import KINDS

    runs = find_runs(address, KINDS)
    if not runs:
        raise StoreError(f"{address}: holds no run; make one with: {command_line('evo.run')}")
    title = ["run", "what", "when", "how far", "size", "champion"]
    print_table([title, *(run.row() for run in runs)])


def compare(*addresses: str) -> None:
    from web.pages.kinds import KINDS

    a, b = (summary_of(address, KINDS) for address in addresses)
    if rows := differences(a, b):
        print_table([["", a.run.address, b.run.address], *rows])
    else:
        print("no difference in configuration and result")


main = command("cli.runs", __name__, __doc__, Runs, work)

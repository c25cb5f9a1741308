"""The process in which a Python class plays that was written for a course's framework:

    python host.py FILE CLASS [name=value,...]

It speaks the protocol of docs/protocol.md on standard input and output. The class runs as if it had
been started from the folder that holds its `quarto` package, which is looked for upwards from the
file; where there is none, from the file's own folder with the `quarto` that stands beside this
script. This file, located.py and hosted.py stand alone: any Python from 3.10 on can run them.
"""

import os
import random
import sys
import traceback
from pathlib import Path

from hosted import Host, Unfit
from located import HERE, NotFound, import_class, root_of

# What pip calls a package that is imported under another name.
PIP_NAMES = {"sklearn": "scikit-learn", "cv2": "opencv-python", "PIL": "pillow", "yaml": "pyyaml"}


class Lines:
    """Questions in, answers out, on what were standard input and output. What the player prints
    goes where errors go, and what it reads comes from nowhere."""

    def __init__(self):
        self.questions, self.answers, self.unread = os.dup(0), os.dup(1), b""
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)

    def read(self):
        """The next line; nothing at the end."""
        while b"\n" not in self.unread:
            more = os.read(self.questions, 4096)
            if not more:
                return b""
            self.unread += more
        line, _, self.unread = self.unread.partition(b"\n")
        return line + b"\n"

    def answer(self, text):
        os.write(self.answers, text.encode("ascii", "backslashreplace") + b"\n")


class Service:
    """Answers questions. Games are played in a copy of this process: modules and classes that
    remember one game must not tell the next, which another machine may play. A copy plays on while
    they have not changed; who touches them gets a new one for each game."""

    def __init__(self, file, name, text):
        self.file, self.name, self.text, self.host = file, name, text, None
        self.lines = Lines()

    def serve(self):
        while line := self.lines.read():
            if line.startswith(b"new") and self.host and hasattr(os, "fork"):
                self.play_apart(line)
            elif not self.attend(line):
                break

    def play_apart(self, line):
        """A game, by a copy; with the line at which it ended, this one goes on."""
        heard, said = os.pipe()
        copy = os.fork()
        if copy == 0:
            before = self.host.state()
            self.attend(line)
            while line := self.lines.read():
                if line.startswith(b"new"):
                    if before is None or self.host.state() != before:
                        break
                    stay_with_the_parent()
                if not self.attend(line):
                    break
            sys.stdout.flush()
            os.write(said, line + self.lines.unread)
            os._exit(0)
        os.close(said)
        with os.fdopen(heard, "rb") as rest:
            self.lines.unread = rest.read()
        _, status = os.waitpid(copy, 0)
        if status:
            # as the copy ended
            code = os.waitstatus_to_exitcode(status)
            if code < 0:
                os.kill(os.getpid(), -code)
            os._exit(code)

    def attend(self, line):
        """To one question; False if it is the last. What it does not know it passes over."""
        words, failed = line.decode("ascii", "replace").split(), ""
        try:
            if words[:1] == ["quarto"]:
                failed = f"importing {self.file.name} failed: "
                random.seed(0)
                theirs, quarto = import_class(self.file, self.name)
                self.host = Host(theirs, quarto, root_of(self.file)[0], self.text)
                failed = "making its game failed: "
                self.host.prepare()
                self.lines.answer(f"quarto 1 {self.name}\nready")
            elif words[:1] == ["new"]:
                failed = f"making {self.name} failed: "
                self.host.new(int(words[1]))
                self.lines.answer("ready")
            elif words[:1] in (["place"], ["give"]):
                failed = "place_piece raised " if words[0] == "place" else "choose_piece raised "
                self.host.follow(words[1].replace("/", ""), words[2])
                self.lines.answer(getattr(self.host, words[0])())
        except (Exception, SystemExit) as error:
            said = " ".join(reason(error, self.file).split())
            failed = "" if isinstance(error, (NotFound, Unfit)) else failed
            self.lines.answer(f"error {failed}{said}")
        return words[:1] != ["quit"]


def reason(error, file):
    """One line: a package that is missing, or what was raised and in which line of theirs."""
    if isinstance(error, (NotFound, Unfit)):
        return str(error)
    traceback.print_exception(type(error), error, error.__traceback__)
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        pip = PIP_NAMES.get(package, package)
        return f"it needs the package {package!r}: {sys.executable} -m pip install {pip}"
    root = str(root_of(file)[0])
    frames = [
        one
        for one in traceback.extract_tb(error.__traceback__)
        if Path(one.filename).parent != HERE
    ]
    own = [one for one in frames if one.filename.startswith(root)] or frames
    where = ""
    if own:
        other = "" if Path(own[-1].filename) == file else f"{Path(own[-1].filename).name}, "
        where = f" ({other}line {own[-1].lineno})"
    return f"{type(error).__name__}: {error}{where}"


def stay_with_the_parent():
    """Run on the cores that the parent is pinned to (agents/guests/process.py)."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, os.sched_getaffinity(os.getppid()))


def main():
    Service(Path(sys.argv[1]).resolve(), sys.argv[2], "".join(sys.argv[3:4])).serve()
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()

"""The process in which a Python class plays that was written for a course's framework:

    python host.py FILE CLASS [name=value,...]

It speaks the protocol of docs/protocol.md. The class runs as if it had been started from the folder
that holds its `quarto` package, searched upwards from the file, else in the file's own folder with
the `quarto` beside this script. This file, located.py and hosted.py stand alone: any Python from
3.10 on can run them."""

import os
import random
import sys
import traceback
from pathlib import Path

from hosted import Host, Unfit
from located import HERE, NotFound, import_class, root_of

# Names for pip of packages that are imported under another name.
PIP_NAMES = {"sklearn": "scikit-learn", "cv2": "opencv-python", "PIL": "pillow", "yaml": "pyyaml"}


class Lines:
    """Questions and answers on the original standard input and output. The player's own output goes
    to standard error, and its input is empty."""

    def __init__(self):
        self.questions, self.answers, self.unread = os.dup(0), os.dup(1), b""
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)

    def read(self):
        """Return the next line, empty at the end of the input."""
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
    """Answers questions. Games are played in forked copies of this process, since modules must not
    carry anything from one game to the next, which another machine may play. A copy plays games as
    long as the state of the player's modules does not change."""

    def __init__(self, file, name, text):
        self.file, self.name, self.text, self.host = file, name, text, None
        self.lines = Lines()

    def serve(self):
        while line := self.lines.read():
            if line.startswith(b"new") and self.host:
                self.play_in_copy(line)
            elif not self.attend(line):
                break

    def play_in_copy(self, line):
        """Let a copy play; go on with the line at which it stopped."""
        end, copys_end = os.pipe()
        copy = os.fork()
        if copy == 0:
            before = self.host.state()
            self.attend(line)
            while line := self.lines.read():
                if line.startswith(b"new"):
                    if before is None or self.host.state() != before:
                        break
                    if hasattr(os, "sched_setaffinity"):
                        # the parent may have been pinned to a core (agents/guests/process.py)
                        os.sched_setaffinity(0, os.sched_getaffinity(os.getppid()))
                if not self.attend(line):
                    break
            sys.stdout.flush()
            os.write(copys_end, line + self.lines.unread)
            os._exit(0)
        os.close(copys_end)
        with os.fdopen(end, "rb") as rest:
            self.lines.unread = rest.read()
        _, status = os.waitpid(copy, 0)
        if status:
            # end in the same way
            code = os.waitstatus_to_exitcode(status)
            if code < 0:
                os.kill(os.getpid(), -code)
            os._exit(code)

    def attend(self, line):
        """Answer one question, ignoring an unknown one; return False after `quit`."""
        words, failed = line.decode("ascii", "replace").split(), ""
        try:
            if words[:1] == ["quarto"]:
                failed = f"importing {self.file.name} failed: "
                random.seed(0)
                player_class, quarto = import_class(self.file, self.name)
                self.host = Host(player_class, quarto, root_of(self.file)[0], self.text)
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
            why = " ".join(reason(error, self.file).split())
            failed = "" if isinstance(error, (NotFound, Unfit)) else failed
            self.lines.answer(f"error {failed}{why}")
        return words[:1] != ["quit"]


def reason(error, file):
    """Return the missing package, or the exception and its line in the player's files."""
    if isinstance(error, (NotFound, Unfit)):
        return str(error)
    traceback.print_exception(type(error), error, error.__traceback__)
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        pip = PIP_NAMES.get(package, package)
        return f"it needs the package {package!r}: {sys.executable} -m pip install {pip}"
    root, where = str(root_of(file)[0]), ""
    frames = traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in frames if Path(frame.filename).parent != HERE]
    own = [frame for frame in frames if frame.filename.startswith(root)] or frames
    # a SyntaxError names file and line itself
    if own and not isinstance(error, SyntaxError):
        path = Path(own[-1].filename)
        where = f" ({'' if path == file else f'{path.name}, '}line {own[-1].lineno})"
    return f"{type(error).__name__}: {error}{where}"


if __name__ == "__main__":
    Service(Path(sys.argv[1]).resolve(), sys.argv[2], "".join(sys.argv[3:4])).serve()
    sys.stdout.flush()
    os._exit(0)

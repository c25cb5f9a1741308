"""Errors that are shown to the user in one line without a traceback."""


class UserError(Exception):
    """An error that the user can correct: the command prints the message and ends with `exit_code`.
    `leave_out`: the option without which the command would work, if there is one."""

    exit_code = 1
    leave_out = ""


class BadInput(UserError):
    """Invalid arguments or input."""

    exit_code = 2

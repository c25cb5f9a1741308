"""Errors that are shown to the user in one line without a traceback."""


class UserError(Exception):
    """The command prints the message and ends with `exit_code`. Without the option `leave_out`, if
    there is one, it would work."""

    exit_code = 1
    leave_out = ""


class BadInput(UserError):
    """Invalid arguments or input."""

    exit_code = 2

"""What can go wrong for a user, each told in one line without a traceback."""


class UserError(Exception):
    """Shown as it is; the command ends with this code."""

    exit_code = 1
    # an option without which the same command works
    leave_out = ""


class BadInput(UserError):
    """What was asked for cannot be done as asked."""

    exit_code = 2

"""What the reports published of their players, and what their own code scores when run again."""

# first, second, wins published, of so many games, original code run again (percent), games here
MATCHES: list[tuple[str, str, int | None, int, str, int]] = [
    ("ga", "random", 580, 1000, "55.7", 100_000),
    ("ga", "dumb", 1000, 1000, "100", 1000),
    ("ga", "rulebased", 292, 1000, "23.5", 100_000),
    ("rulebased", "random", 958, 1000, "95.4", 100_000),
    ("rulebased", "dumb", 693, 1000, "55", 100_000),
    ("rulebased", "ga", 718, 1000, "76.5", 100_000),
    ("random", "dumb", 386, 1000, "38.8", 100_000),
    ("s309413", "random", 999, 1000, "91.6", 100_000),
    ("s309413", "dumb", 645, 1000, "63.3", 100_000),
    ("s309413", "rulebased", 593, 1000, "50", 100_000),
    ("s309413", "ga", 692, 1000, "76.7", 100_000),
    ("frontier", "random", 193, 200, "94.3", 100_000),
    ("frontier:delay=false", "random", 195, 200, "", 100_000),
    ("frontier", "hardcoded", None, 0, "0 of 20", 20_000),
    ("pro:bound=1,value=1", "random", 925, 1000, "91.4", 100_000),
    ("pro:bound=2,value=518400", "random", 968, 1000, "16 of 16", 20_000),
    ("pro", "random", 993, 1000, "99.0", 100_000),
    ("pro", "pro:bound=1,value=1", 96, 100, "", 20_000),
    ("pro", "pro:bound=2,value=518400", 87, 100, "", 10_000),
    ("pro", "prominmax", 39, 100, "", 20_000),
    ("pro", "hardcoded", None, 0, "17-3-0", 20_000),
    ("hardcoded", "random", None, 0, "98.7", 100_000),
    ("hardcoded", "rulebased", None, 0, "27-0-14", 100_000),
]

"""Players that search: alpha-beta, exact search under a node limit, Monte Carlo tree search."""

"""Learning from games: datasets with exact labels, self-play, what was learned as tables."""

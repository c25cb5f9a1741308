"""Report 004's agent: beam search over turns that a learned reward likes, and its two opponents."""

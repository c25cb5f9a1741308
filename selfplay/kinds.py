"""Runs of self-play and of supervised learning, as the listing commands describe them."""

from store.kinds import Kind, Unit

PIECES = (Unit("pieces", "number of pieces", "numbers of pieces"),)


class SelfPlay(Kind):
    name = "self-play"
    units = (Unit("round", "round", "rounds"),)
    makes_mind = True


class Dataset(Kind):
    name = "dataset"
    units = PIECES


class Turns(Dataset):
    name = "turns"


class Net(Dataset):
    name = "net"


class Reward(Dataset):
    name = "reward"
    makes_mind = True

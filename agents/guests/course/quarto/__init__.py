from quarto.objects import Piece, Player, Quarto

__all__ = ["Piece", "Player", "Quarto"]

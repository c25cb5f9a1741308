"""Genomes of trees: programs of DEAP's gp."""

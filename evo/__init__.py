"""Evolution: genomes, the DEAP loop, `python -m evo.run`."""

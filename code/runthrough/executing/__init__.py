"""Notebooks in a real Jupyter kernel: their cells executed, what came of each, and the outputs to store."""

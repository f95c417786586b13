"""How long the same lessons take in this harness and in other ways of running them."""

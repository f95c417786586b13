"""What this harness and other tools say of pages that do not hold, and of pages that do, by running them."""

"""The subcommands: each walks the road, from what was typed to an exit code."""

"""`python -m runthrough` is the command `runthrough`."""

from runthrough.cli import main

main()

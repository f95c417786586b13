"""`python -m runthrough` is the command `runthrough`."""

try:
    from runthrough.cli import main
except KeyboardInterrupt:
    # So early nothing has been started, and Python's own words would only puzzle.
    raise SystemExit(130) from None

if __name__ == "__main__":
    main()

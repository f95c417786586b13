"""A network that starts from other numbers each time can be compared with nothing."""

OLD = "MLP((3, 4, 4, 1), random.Random(7))"
NEW = "MLP((3, 4, 4, 1), random.Random())"
CAUGHT_BY = "test_each_run_gives_the_same_bits"

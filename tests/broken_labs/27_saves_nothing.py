"""A pullback that reads `.data` late sees numbers that the forward pass never used."""

OLD = "lambda g: (g * y, g * x)"
NEW = "lambda g: (g * other.data, g * self.data)"
CAUGHT_BY = "test_a_later_write_does_not_reach_back"

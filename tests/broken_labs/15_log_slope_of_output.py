"""The derivative of log is 1/x: the output is of no use."""

OLD = '"log", lambda g: (g / x,)'
NEW = '"log", lambda g: (g / math.log(x),)'
CAUGHT_BY = "test_random_expressions_against_central_differences"

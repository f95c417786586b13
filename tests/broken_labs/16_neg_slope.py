"""The derivative of -x is -1."""

OLD = '"neg", lambda g: (-g,)'
NEW = '"neg", lambda g: (g,)'
CAUGHT_BY = "test_each_operation_against_central_differences"

"""The derivative of exp is its output, not its input."""

OLD = '"exp", lambda g: (g * y,)'
NEW = '"exp", lambda g: (g * self.data,)'
CAUGHT_BY = "test_each_operation_against_central_differences"

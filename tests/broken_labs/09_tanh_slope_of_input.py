"""The derivative of tanh is 1 - tanh(x)², not 1 - x²."""

OLD = "lambda g: (g * (1 - y * y),)"
NEW = "lambda g: (g * (1 - self.data * self.data),)"
CAUGHT_BY = "test_each_operation_against_central_differences"

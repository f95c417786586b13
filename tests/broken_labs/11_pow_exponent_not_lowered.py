"""The derivative of x**n has x to the power n - 1."""

OLD = "float(exponent * x ** (exponent - 1))"
NEW = "float(exponent * x**exponent)"
CAUGHT_BY = "test_each_operation_against_central_differences"

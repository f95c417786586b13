"""The derivative of x**n has the factor n."""

OLD = "float(exponent * x ** (exponent - 1))"
NEW = "float(x ** (exponent - 1))"
CAUGHT_BY = "test_each_operation_against_central_differences"

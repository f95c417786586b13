"""The derivative of x / y with respect to y is negative."""

OLD = "lambda g: (g / y, -g * x / y / y)"
NEW = "lambda g: (g / y, g * x / y / y)"
CAUGHT_BY = "test_a_number_may_stand_on_the_left"

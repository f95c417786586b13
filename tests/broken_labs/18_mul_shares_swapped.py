"""Each factor gets g times the other one."""

OLD = "lambda g: (g * y, g * x)"
NEW = "lambda g: (g * x, g * y)"
CAUGHT_BY = "test_the_gradient_of_a_times_b_plus_a"

"""A root of a negative number is complex in Python."""

OLD = "if x < 0 and not float(exponent).is_integer():"
NEW = "if False:"
CAUGHT_BY = "test_a_number_outside_the_domain_is_refused"

"""`2 / v` must not become `v / 2`."""

OLD = "return as_value(other) / self"
NEW = "return self / as_value(other)"
CAUGHT_BY = "test_a_number_may_stand_on_the_left"

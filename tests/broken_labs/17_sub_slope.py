"""The second operand of a subtraction gets -g."""

OLD = '"-", lambda g: (g, -g)'
NEW = '"-", lambda g: (g, g)'
CAUGHT_BY = "test_a_number_may_stand_on_the_left"

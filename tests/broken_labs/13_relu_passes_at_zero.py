"""At 0 relu passes nothing back."""

OLD = "g if y > 0 else 0.0"
NEW = "g if y >= 0 else 0.0"
CAUGHT_BY = "test_derivatives_at_zero"

"""A division by 0 must be refused with words that help."""

OLD = """\
        if y == 0:
            raise ZeroDivisionError(f"{x} / {y}: the divisor of a Value must not be 0")
        return record(x / y"""
NEW = "        return record(x / y if y else math.inf"
CAUGHT_BY = "test_a_number_outside_the_domain_is_refused"

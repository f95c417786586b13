"""The logarithm of 0 or less has no value to go on with."""

OLD = """\
        if x <= 0:
            raise ValueError(f"log({x}): the logarithm needs a number above 0")
        return record(math.log(x)"""
NEW = "        return record(math.log(abs(x) or 1.0)"
CAUGHT_BY = "test_a_number_outside_the_domain_is_refused"

"""An exponent that is a Value would get no gradient, silently."""

OLD = """\
        if not isinstance(exponent, (int, float)):
            raise TypeError(f"the exponent must"""
NEW = """\
        if isinstance(exponent, Value):
            exponent = exponent.data
        if not isinstance(exponent, (int, float)):
            raise TypeError(f"the exponent must"""
CAUGHT_BY = "test_what_is_no_number_is_refused"

"""In single precision agreement with torch ends near 1e-7."""

OLD = "self.data = float(data)"
NEW = 'self.data = __import__("array").array("f", [data])[0]'
CAUGHT_BY = "test_gradients_agree_with_torch"

"""The seed is 1, whatever an earlier call left in the root."""

OLD = """\
        for node in order:
            node.grad = 0.0
        self.grad = 1.0  # d(self)/d(self)
"""
NEW = """\
        for node in order[:-1]:
            node.grad = 0.0
        self.grad += 1.0
"""
CAUGHT_BY = "test_two_backward_calls_double_the_leaves"

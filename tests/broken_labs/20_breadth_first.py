"""Breadth first, a node can be left before all that use it have spoken."""

OLD = """\
        node, operands = stack[-1]
        unseen = next((operand for operand in operands if operand not in seen), None)
        if unseen is None:
            order.append(node)
            stack.pop()
        else:
            seen.add(unseen)
            stack.append((unseen, iter(unseen._prev)))
    return order
"""
NEW = """\
        node, operands = stack.pop(0)
        order.append(node)
        for unseen in operands:
            if unseen not in seen:
                seen.add(unseen)
                stack.append((unseen, iter(unseen._prev)))
    return order[::-1]
"""
CAUGHT_BY = "test_children_come_before_parents"

"""Recursion ends at about a thousand operations in a chain."""

OLD = """\
    stack = [(root, iter(root._prev))]
    while stack:
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
    def visit(node: Value) -> None:
        for operand in node._prev:
            if operand not in seen:
                seen.add(operand)
                visit(operand)
        order.append(node)

    visit(root)
    return order
"""
CAUGHT_BY = "test_ten_thousand_operations_in_a_chain"

"""A step must not use the gradients of the steps before."""

OLD = "p.grad = 0.0  #"
NEW = "p.grad += 0.0  #"
CAUGHT_BY = "test_training_agrees_with_torch_at_each_step"

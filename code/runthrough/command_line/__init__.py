"""What is typed, read into options."""

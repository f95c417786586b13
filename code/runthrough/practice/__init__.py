"""A course's exercises as files that a student works on: handed out, judged, and kept count of."""

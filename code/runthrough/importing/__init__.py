"""A notebook becomes a lesson: its cells, its stored outputs and its pictures, with a word on all that is not kept."""

"""Edits made in a notebook, brought back into its lesson with everything else untouched."""

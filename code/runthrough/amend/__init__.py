"""Amending: the texts of a page that are not what came, written anew with everything else untouched."""

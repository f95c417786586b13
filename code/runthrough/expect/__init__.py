"""Expecting: what a page promises of a fence, held against what came."""

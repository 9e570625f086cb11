"""Draws a Profile: the notebook widget, the self-contained page, and what both share."""

"""Measuring: ranks, figures, intervals and reports."""

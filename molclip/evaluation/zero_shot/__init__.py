"""Zero-shot labels: does the text of a label find the molecules that have it?"""

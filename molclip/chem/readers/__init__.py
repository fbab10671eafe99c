"""Files to rows: one module per family of formats, one stream of records."""

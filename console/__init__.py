"""The terminal: options and configurations, how commands begin and end, progress, tables, pages."""

"""The static site: pages, exact analysis in the browser, and documentation, without a server."""

"""The link between Python and the page's scripts: components, addresses and the API for scripts."""

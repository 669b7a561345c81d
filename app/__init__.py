"""The page: what is shown in a browser. It is built on `engine`, which never imports it."""

"""The server: processes, hosts, message validation, logs and long work."""

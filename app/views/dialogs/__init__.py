"""Dialogs, menus and notices."""

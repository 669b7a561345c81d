"""Uses of private names of Panel, Bokeh and Tornado, each with the reason.

Checked with Panel 1.9 and 1.10, Bokeh 3.9 and 3.10, and Tornado 6.5 and 6.6: read this package
before you allow others.
"""

"""Charts: the look of curves, and renderers in Bokeh, SVG and HoloViews."""

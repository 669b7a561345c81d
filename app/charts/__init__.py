"""Charts as they are drawn: how each curve looks, and a renderer for each of Bokeh, SVG and HoloViews."""

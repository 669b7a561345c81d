"""Pictures of the motion, in space and in the plane."""

"""The parts of methods: declaration and registry, the body of a step, composition, tableaux, Newton's method."""

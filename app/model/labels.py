"""What parameters of problems, options of methods, what they offer, and columns of studies are called on the page."""

from __future__ import annotations

LABELS = {
    # of every problem
    "J": "Inertia J₁, J₂, J₃",
    "Omega0": "Angular velocity Ω₀",
    "R0": "Attitude R₀, a rotation vector",
    # of some
    "Mgl": "Weight × arm Mgl",
    "Mg": "Weight Mg",
    "mass": "Mass M",
    "gravity": "Gravity g",
    "length": "Arm l, to the centre of mass",
    "chi": "Centre of mass χ, in the body",
    "moment": "Constant moment",
    "alpha": "Strength of the attraction α",
    "sign": "Signs of pull and wall",
    "td": "Time of the kick",
    "kick": "Impulse of the kick, about e₂",
    "book-toss.torque": "Torque until the kick, about e₁",
    "custom.torque": "What acts on it",
    # of two bodies
    "Omega1": "Angular velocity Ω₁",
    "Omega2": "Angular velocity Ω₂",
    "X": "Place of body 1, from body 2",
    "V": "Velocity of body 1, from body 2",
    "R1": "Attitude R₁, a rotation vector",
    "R2": "Attitude R₂, a rotation vector",
    "G": "Constant of gravity G",
    "drift": "Velocity of the centre of mass",
    **{f"{letter}{i}": f"{what} of dumbbell {i}" for i in "12" for letter, what in (("m", "Mass"), ("l", "Length"))},
    "case": "Case",
    # of methods
    "beta": "Weight β of the new acceleration, in the rotation",
    "gamma": "Weight γ of the new acceleration, in the velocity",
    "zeta": "Part ζ of the step made forward",
    "AKW.torque": "Where the torque is taken",
    "solver": "Coordinates of the solver",
    "form": "Variables",
    "order": "Order on a free body",
    "axes": "Order of the body axes",
    "trig": "Turns by",
    "tableau": "Tableau",
    "tail": "Term in h³/36",
    "variant": "Formula",
    "mean": "What is averaged",
    "renormalise": "Brought back to unit length",
    "rtol": "Relative error in a step",
    "atol": "Absolute error in a step",
}
"""Of a parameter or an option; after the key of its problem or method where the name alone would not tell."""

OFFERED = {
    "sign": {"as-printed": "as printed"},
    "custom.torque": {
        "free": "nothing",
        "gravity": "its weight",
        "body": "a moment fixed in the body",
        "space": "a moment fixed in space",
    },
    "AKW.torque": {"ends": "mean of both ends", "half": "at half the rotation"},
    "solver": {"exp": "exponential", "cayley": "Cayley", "quaternion": "quaternion"},
    "form": {
        f"{frame}-{kind}": f"{frame}, {of}"
        for frame in ("relative", "inertial")
        for kind, of in (("hamiltonian", "momenta"), ("lagrangian", "the step before"))
    },
    "axes": {axes: ", ".join(axes) for axes in ("123", "132", "213", "231", "312", "321")},
    "trig": {"exact": "sine and cosine", "cayley": "the Cayley map"},
    "tableau": {
        "euler": "Euler",
        "midpoint": "midpoint",
        "heun": "Heun",
        "kutta3": "Kutta, order 3",
        "rk4": "classical, order 4",
        "butcher6": "Butcher, order 6",
        "dop853": "Dormand–Prince, order 8",
    },
    "tail": {"True": "kept", "False": "left out"},
    "variant": {"printed": "as printed", "as-run": "as Buss's tables were run", "clean": "well started"},
    "mean": {"vector": "rotation vectors", "quaternion": "quaternions"},
    "composition": {
        "yoshida4": "Yoshida, order 4",
        "suzuki4": "Suzuki, order 4",
        "kahan-li6": "Kahan–Li, order 6",
        "kahan-li8": "Kahan–Li, order 8",
    },
}
"""What an option offers, in a person's words; what is not here is called as it is."""


def label(name: str, of: str = "") -> str:
    """What a parameter or an option is called, of the problem or the method with this key."""
    return LABELS.get(f"{of}.{name}") or LABELS.get(name, name)


def offered(name: str, choice: str, of: str = "") -> str:
    """What one of its choices is called."""
    return (OFFERED.get(f"{of}.{name}") or OFFERED.get(name, {})).get(choice, choice)


HEADS = {"dt": "Δt", "fails_at": "fails at Δt", "q05": "5 %", "q95": "95 %"}


def head(column: str) -> str:
    """What a column of a study's rows is called."""
    return HEADS.get(column, column.replace("_", " "))

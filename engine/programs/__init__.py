"""Programs: a method as readable code in several languages, and as pseudo-code."""

from .languages.mathematics import count_lines, write_pseudo_code
from .method_program import Example
from .program import LANGUAGES, find_step, program
from .shapes import PASTED, SHAPES, find_shapes
from .tree import Unwritable

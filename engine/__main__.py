"""`python -m engine` is the command `polhode`."""

import sys

from .cli.command import main

if __name__ == "__main__":
    sys.exit(main())

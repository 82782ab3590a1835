"""`python -m machi` runs the command `machi`."""

from machi.cli import main

main()

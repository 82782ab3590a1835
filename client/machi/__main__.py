"""`python -m machi` is the command `machi`."""

from machi.cli import main

main()

"""`machi bot`: letting a Python function play."""

import click

from machi.cli.bots.run import run


@click.group()
def bot() -> None:
    """Let a Python function play for your account."""


bot.add_command(run)

__all__ = ["bot"]

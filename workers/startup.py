"""What the worker and the relay do first: read the environment and set up the log."""

import os

from events.settings import Settings, SettingsError, from_env
from workers import logs


def begin() -> Settings:
    """The settings; the log is set up.

    Raises:
        SystemExit: the settings are at fault; it tells the operator how.
    """
    try:
        settings = from_env(os.environ)
    except SettingsError as error:
        raise SystemExit(f"error: {error}") from None
    logs.configure(settings.log_level)
    return settings

"""What the worker and the relay do first: read the environment and set up the log."""

from runtime.settings import Settings, settings_or_exit
from workers import logs


def begin() -> Settings:
    """The settings; the log is set up.

    Raises:
        SystemExit: the settings are at fault; the operator has been told.
    """
    settings = settings_or_exit()
    logs.configure(settings.log_level, settings.log_format)
    return settings

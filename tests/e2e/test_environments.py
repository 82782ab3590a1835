"""Agents of PettingZoo in matches and ladders of the whole service, unchanged."""

import random
import secrets
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test

from machi import Client, me, strategy
from machi.environment import chooser, remote
from machi_koro_rules.environments import machi_koro_v0
from tests.e2e.stack import Stack

TESTS_ONLY_BOXES = "ignore:Observation space for each agent probably should be"
"""PettingZoo says so of every space with an action mask, except those of environments it knows by name."""

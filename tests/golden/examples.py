"""Records the examples of the document, see `service.openapi.examples`."""

import msgspec
from flask import Flask

from service.context import EXTENSION
from tests.golden import ladder_story, notification_story, rating_story, refusals, review_story, story
from tests.golden.recorder import Recorder


def recorded(app: Flask, admin_url: str) -> bytes:
    """The text of the file, from the app on emptied servers; `admin_url` is of their event store."""
    rec = Recorder(app)
    story.tell_of_health(rec, app.extensions[EXTENSION].queue_redis)
    people = story.tell_of_accounts(rec)
    story.tell_of_the_catalogue(rec)
    story.tell_of_an_open_match(rec, people)
    story.tell_of_more_matches(rec, people)
    story.tell_of_a_table_of_two(rec, people)
    story.tell_of_three_rows(rec, people)
    story.tell_of_branches(rec, people)
    story.tell_of_lists(rec)
    story.tell_of_checkpoints(rec)
    ladder_story.tell_of_a_ladder(rec, people)
    ladder_story.tell_of_suspension(rec, people)
    refusals.tell_of_requests(rec, people)
    refusals.tell_of_building(rec, people)
    ladder_story.tell_of_too_much(rec, people)
    story.tell_of_seat_seeds(rec, people)
    refusals.tell_of_services_in_trouble(rec, people, admin_url)
    story.tell_of_invitations(rec, people)
    ladder_story.tell_of_a_public_value(rec, people)
    review_story.tell_of_reviews(rec, people)
    review_story.tell_of_puzzles(rec)
    notification_story.tell_of_notifications(rec, people)
    rating_story.tell_of_ratings(rec, people)
    ladder_story.tell_of_a_tournament(rec, people)
    return msgspec.json.format(msgspec.json.encode(rec.recorded()), indent=1) + b"\n"

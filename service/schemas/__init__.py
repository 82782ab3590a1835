"""What requests must look like, and what answers do look like, as marshmallow schemas.

Requests are loaded through them. Answers are built without them; the tests check every answer against the
document that is written from them.
"""

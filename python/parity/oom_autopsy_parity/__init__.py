"""The parity check of oom-autopsy: the rebuilt memory view and torch's own categorizer, each against what was
frozen of it.

Run as `python -m oom_autopsy_parity` (or by this folder's path). Needs torch and nothing else. docs/parity.md
explains it."""

SCHEMA_RESULT = "oom-autopsy.parity.v1"
SCHEMA_FIXTURE = "oom-autopsy.fixture.v1"

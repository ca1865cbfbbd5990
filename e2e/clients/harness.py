"""Plays the life of every kind with a client that is generated from Harness's own
description of its REST interface (harness-python-sdk): create, read, list, update,
delete, and read what is gone. The client refuses answers that lack what must be there,
or have what cannot be.

    python harness.py URL TOKEN ACCOUNT

prints a line for each thing that is not as it should be, and exits with 1 then.
"""

import sys
import traceback

import life
from people import people
from places import deployments, places, variables
from texts import catalogue, connectors, pipelines, secrets

for scene in (places, deployments, variables, connectors, secrets, pipelines, catalogue, people):
    try:
        scene()
    except Exception:
        life.fail(scene.__name__, traceback.format_exc())
for f in life.failures:
    print(f)
print(f"{life.calls} calls, {len(life.failures)} failures")
sys.exit(1 if life.failures else 0)

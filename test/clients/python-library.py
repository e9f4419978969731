"""Calls the Python library as a test asks, one JSON object a line: {id, call, args} in, {id, reply} and {event} out."""

import json
import sys
import threading
from pathlib import Path

import zulip

config_file = sys.argv[1]
output = threading.Lock()


def say(line):
    with output:
        print(json.dumps(line), flush=True)


class Listener(zulip.Client):
    """Says when its queue is there, so that a test knows from when on it hears."""

    def register(self, *args, **kwargs):
        reply = super().register(*args, **kwargs)
        say({"event": {"type": "registered"}})
        return reply


def listen(event_types):
    client = Listener(config_file=config_file)

    def run():
        client.call_on_each_event(lambda event: say({"event": event}), event_types, [])

    threading.Thread(target=run, daemon=True).start()


client = zulip.Client(config_file=config_file)


def upload_file(path):
    with Path(path).open("rb") as file:
        return client.upload_file(file)


def get(url):
    """What the library has no call of its own for."""
    return client.call_endpoint(url=url, method="GET")


own = {"listen": listen, "upload_file": upload_file, "get": get}

for line in sys.stdin:
    request = json.loads(line)
    call = own.get(request["call"]) or getattr(client, request["call"])
    try:
        say({"id": request["id"], "reply": call(*request["args"])})
    except Exception as error:
        say({"id": request["id"], "error": repr(error)})

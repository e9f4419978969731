"""Runs a program in a terminal: {keys} in, {screen} out, one JSON object a line. The screen is a list of its lines."""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios

import pyte

COLUMNS, ROWS = 150, 40

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])

screen = pyte.Screen(COLUMNS, ROWS)
stream = pyte.ByteStream(screen)
pending = b""

while True:
    readable, _, _ = select.select([terminal, 0], [], [])
    if terminal in readable:
        try:
            drawn = os.read(terminal, 65536)
        except OSError:  # the program has ended
            break
        stream.feed(drawn)
        print(json.dumps({"screen": screen.display}), flush=True)
    if 0 in readable:
        typed = os.read(0, 65536)
        if not typed:
            break
        *lines, pending = (pending + typed).split(b"\n")
        for line in lines:
            os.write(terminal, json.loads(line)["keys"].encode())

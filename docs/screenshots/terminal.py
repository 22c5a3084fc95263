#!/usr/bin/env python3
"""What a program draws on a terminal: `terminal.py FRAME.json COLUMNS ROWS SECONDS KEYS COMMAND...`.

Runs the command in a pseudo-terminal, types KEYS after half of the time, and writes the frame that then stands there."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

import pyte


def main():
    frame, columns, rows, seconds, keys, *command = sys.argv[1:]
    columns, rows, seconds = int(columns), int(rows), float(seconds)
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(command[0], command, {**os.environ, "TERM": "xterm-256color"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.kill(child, signal.SIGWINCH)
    screen = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if keys and left < seconds / 2:
            os.write(terminal, keys.encode())
            keys = ""
        if select.select([terminal], [], [], min(left, 0.1))[0]:
            stream.feed(os.read(terminal, 1 << 16))
    os.write(terminal, b"q")
    os.waitpid(child, 0)
    lines = []
    for y in range(rows):
        line = []
        for x in range(columns):
            cell = screen.buffer[y][x]
            style = [cell.fg, cell.bg, cell.bold, cell.reverse]
            if line and line[-1][1:] == style:
                line[-1][0] += cell.data
            else:
                line.append([cell.data, *style])
        lines.append(line)
    with open(frame, "w", encoding="utf-8") as out:
        json.dump({"lines": lines}, out)


if __name__ == "__main__":
    main()

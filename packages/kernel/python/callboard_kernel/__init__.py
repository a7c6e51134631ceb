"""The Python half of a kernel: runs cells in a real ``__main__`` and talks to its worker over a private socket.

Standard library only, syntax of Python 3.9. ``src/messages.ts`` is the other half and names every message.
"""

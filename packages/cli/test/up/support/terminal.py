# Runs a program in a terminal of its own, says what it says, and closes the terminal at the end of stdin.
import os, pty, sys, threading
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
def close_at_end():
    while os.read(0, 100):
        pass
    os._exit(0)
threading.Thread(target=close_at_end, daemon=True).start()
while True:
    os.write(1, os.read(terminal, 65536))

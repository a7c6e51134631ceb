"""What the worker starts: checks the interpreter, then hands over. Must parse on any Python, so that an old one can say so."""
import sys

implementation = getattr(getattr(sys, "implementation", None), "name", "cpython")
if sys.version_info < (3, 9) or implementation != "cpython":
    sys.stderr.write("needs CPython 3.9 or newer, this is %s %s\n" % (implementation, sys.version.split()[0]))
    sys.exit(97)

from callboard_kernel.main import main

main()

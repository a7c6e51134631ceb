"""Prints what the module `vibeweaver` offers, as JSON. The worker asks once for its help; no kernel is needed for that."""
from vibeweaver._registry import main

main()

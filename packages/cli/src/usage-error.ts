/** What the person at the keyboard has to change: one sentence with the remedy. The program exits 2. */
export class UsageError extends Error {}

/** Something went wrong that no change of the command line helps against. The program exits 1. */
export class CommandError extends Error {}

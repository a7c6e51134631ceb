// What a call may ask for, and what this worker holds. Alphabetical by subject.

// Calls.
/** Most wait for the turn of their project; the hub holds what is more. */
export const concurrentCallsMax = 32

// Config.
/** Twice what most people need: a backup has the size of its project. */
export const backupsDefault = 10
/** A folder with more is no longer looked through by anybody. */
export const backupsMax = 1_000
/** Long enough for any sane expression over all texts of a project. */
export const regexTimeoutMsDefault = 2_000
/** A worker of many sessions does not lose a thread for longer. */
export const regexTimeoutMsMax = 60_000
/** A thread needs that to start. */
export const regexTimeoutMsMin = 100
/** What somebody writes by hand. */
export const rootsMax = 100

// Records.
/** Of the worker's own list; the oldest are left out. */
export const knownProjectsMax = 1_000
/** Longest path that Linux takes, in bytes; no path has more characters. */
export const pathLengthMax = 4_096
/** Names of kinds, tools, actors and statuses, and ids. */
export const recordNameLengthMax = 300
/** Both databases take so many rows of suggestions in one statement. */
export const suggestionRowsPerInsert = 100

// What a call may ask for, and what this worker holds. Alphabetical by subject.

/** Pause between two attempts while another program writes to the project. */
export const busyRetryMs = 25
/** The original waits as long for us. */
export const busyWaitMs = 5_000
/** How long SQLite itself waits for a reader or writer of another program, which blocks the event loop: less than a heartbeat. */
export const lockedReadMs = 1_000
/** Suggestions of one actor that wait for a person, per project. */
export const pendingPerActorMax = 200
export const previewTokenMs = 15 * 60_000
/** Of all sessions; the oldest goes first. */
export const previewTokensMax = 1_000
/** Characters of a caller's own id for a write. */
export const requestIdLengthMax = 128
/** A repeat within this time has the first answer. */
export const requestKeptMs = 24 * 60 * 60_000
/** Old replies that go with each new one: more than come. */
export const requestsPrunedMax = 20
/** UTF-16 units of texts that are kept between calls: some 30 MB at two bytes each. */
export const textsCachedCharactersMax = 16 * 1024 * 1024
/** Of one project; more means that something hangs, and callers must hear of it. */
export const writesWaitingMax = 1_000
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
/** Of one page of a history. */
export const changeSetsListedMax = 200
/** Characters of why somebody decided so. */
export const reasonLengthMax = 2_000
/** Of one page over all projects. */
export const suggestionsListedMax = 200

// Sources and folders.
/** Code points of a folder's name; as much as a name in a file system. */
export const folderNameLengthMax = 255
/** Characters of a word or two on where a text comes from. */
export const originLengthMax = 1_000
/** Code points of a page, where the call does not say. */
export const pageLengthDefault = 50_000
/** Code points of a page: four bytes each are less than a frame takes. */
export const pageLengthMax = 200_000
/** Code points of a source's name; as much as a name in a file system. */
export const sourceNameLengthMax = 255

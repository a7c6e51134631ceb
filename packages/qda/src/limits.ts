// What a call may ask for, and what this worker holds. Alphabetical by subject.

// Quotes and positions.
/** Units of work of one approximate search, about 20 ns each: a 1 MB text keeps the worker busy for less than 100 ms. */
export const approximateSearchUnits = 4_000_000
/** Regions looked at for the passage closest to a quote that was not found; it is only a hint. */
export const closestRegionsMax = 64
/** How unlike a quote the closest passage may be and still be worth naming; share of the quote's length. */
export const closestErrorsShare = 0.4
/** How unlike a quote a fuzzy match may be; share of the quote's length. */
export const fuzzyErrorsShare = 0.2
/** Regions compared for one fuzzy match; the likeliest come first. */
export const fuzzyRegionsMax = 10_000
/** UTF-16 units of a quote that is searched approximately: the time for texts that repeat themselves grows with its cube. */
export const fuzzyQuoteUnitsMax = 500
/** Candidates named for a quote that occurs several times; enough to choose from. */
export const quoteCandidatesMax = 10
/** Code points of a candidate's text in a failure, and before and after it. */
export const quoteCandidateLengthMax = 200
export const quoteContextLength = 40
/** UTF-16 units compared for the occurrences of one quote: a text of one letter has as many as it is long. */
export const quoteUnitsComparedMax = 50_000_000
/** UTF-16 units of a quote; as much as the longest page that can be read, whatever its characters. */
export const quoteUnitsMax = 400_000
/** On either side of a match, UTF-16 units in which its sentence is looked for: a text may be a single line. */
export const sentenceReachUnits = 5_000
/** How far from its stored position a coding's text may have moved, code points. */
export const shiftLengthMax = 200
/** UTF-16 units of a coding's text that is looked for elsewhere: each of 400 places may compare it all. */
export const shiftedTextUnitsMax = 100_000
/** Of paths that are shown; nobody nests deeper, and a path of a file with rings must not grow with it. */
export const codeLevelsShownMax = 100
/** Names of codes and categories, in characters. */
export const codeNameLengthMax = 100
/** Titles, in characters: they become names of files. */
export const journalNameLengthMax = 255
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

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

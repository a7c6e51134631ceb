/** Runs of one task that may wait for their turn; a further slot is recorded as skipped. */
export const queuedRunsPerTaskMax = 100

/** One row for each missed slot up to this many, then one for all the others. */
export const missedRowsMax = 100

/** Of missed slots, how many `all` still runs. */
export const missedRunsMax = 24

/** Older slots are not run by any policy. */
export const missedWindowMs = 7 * 24 * 60 * 60_000

/** Runs and messages that are over leave the database after this; activity, too. */
export const historyMs = 30 * 24 * 60 * 60_000

/** How long a reply is kept for a repeat of its call. */
export const replyMs = 24 * 60 * 60_000

/** A timer of Node fires at once beyond 2^31-1 ms; and a clock that was set is noticed this soon. */
export const sleepMsMax = 60_000

/** Other processes on this database are heard of this soon. Only asked for when there are any. */
export const pollMs = 5_000

/** Between two signs of life of a process. */
export const heartbeatMs = 20_000

/** After this silence a process counts as stale. */
export const heartbeatStaleMs = 60_000

/** Tasks that become due in one transaction: enough to catch up, short enough for other writers. */
export const dueTasksPerClaim = 100

/** Live tasks of one group, and how many it may create in an hour. */
export const liveTasksPerGroupMax = 100
export const tasksCreatedPerHourMax = 60

/** Characters of prompts, bodies, messages. */
export const longTextMax = 100_000

/** Bytes of a run's result, and of each stream's head and of its tail. */
export const resultBytesMax = 65_536

/** How much later than its time limit a run's token ends. */
export const tokenMarginMs = 60_000

/** Between SIGTERM and SIGKILL. */
export const killGraceMs = 5_000

/** A first attempt to send mail inside a call. */
export const firstSendMs = 10_000

// Runners

/** Of a program's output, how much is read as one JSON document; a longer one is not read for its result. */
export const documentBytesMax = 8 * 1024 * 1024

/** A longer line of JSON is passed over: events that carry whole files are of no use here. */
export const lineBytesMax = 1024 * 1024

/** Parts of a path into JSON, and conditions beside it; characters of the whole expression. */
export const extractionPartsMax = 16
export const extractionLengthMax = 512

/** Of a session id; whatever is longer is no id. */
export const sessionIdLengthMax = 256

/** Turns of the event loop in which the system ends what SIGKILL has hit; one that takes longer hangs in a driver. */
export const groupEndTurnsMax = 500

/** Turns, and then time between looks, in which a group that was asked to end may do so after its leader. */
export const groupGraceTurnsMax = 50
export const groupPollMs = 100

/** Turns in which a pipe that somebody outside of the group holds open is read to its end. */
export const drainTurnsMax = 200

/** For one `ps`, where there is no /proc. */
export const processListMs = 5_000
export const processListBytesMax = 4 * 1024 * 1024

/** Turns of a group's conversation that are kept, those a model is shown, and their characters together. */
export const turnsKeptMax = 200
export const turnsShownMax = 40
export const turnsShownCharactersMax = 100_000

/** Requests of one run to its model, each with the tools it asked for before. */
export const chatRoundsMax = 10

/** Tools that a model is told of: chat endpoints refuse more. */
export const chatToolsMax = 128

/** Of a tool's name in the chat form. */
export const chatToolNameMax = 64

/** Tools that one answer of a model may ask for; with the limit of each result this bounds what the next request holds. */
export const chatToolCallsPerRoundMax = 16

/** Characters of a tool's result that the model reads. */
export const chatToolResultMax = 65_536

/** Of one answer of a chat endpoint. */
export const chatAnswerBytesMax = 8 * 1024 * 1024

/** Of a refusal's text, as an error cites it. */
export const citedTextMax = 300

/** A server that asks for more patience than this is asked again all the same. */
export const retryAfterMsMax = 24 * 60 * 60_000

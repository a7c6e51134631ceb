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

// Triggers

/** Over which accepted triggers are counted. */
export const triggerWindowMs = 60 * 60_000

/** How long a trigger's mail may take: longer than the outbox tries to send it. */
export const triggerLifeMs = 96 * 60 * 60_000

/** Characters of what stands behind the tag in a subject. */
export const subjectSuffixMax = 200

// Mail that comes in

/** A larger mail is refused without being downloaded. */
export const mailBytesMax = 1024 * 1024

/** Of a mail that is too large: enough for every header that says whose it is. */
export const mailHeadBytesMax = 65_536

/** HTML beyond this is not turned into text: it takes seconds, and people do not write as much. */
export const mailHtmlMax = 256 * 1024

/** Characters of a subject that are kept. */
export const mailSubjectMax = 500

/** Characters that are kept of a mail that nobody acts on: what tells a person which one it was. */
export const refusedMailTextMax = 500

/** Names of attachments that are told. */
export const attachmentNamesMax = 20

/** Mails between two looks at the mailbox. */
export const mailsPerBatch = 50

/** Times that a server may refuse to give out one mail before the next is read. */
export const mailFetchAttemptsMax = 5

/** How far back a mailbox is read again after its server has numbered it anew. */
export const mailRescanMs = 7 * 24 * 60 * 60_000

/** Between two attempts to reach the IMAP server: doubled from the first to the last. */
export const imapBackoffMinMs = 1_000
export const imapBackoffMaxMs = 5 * 60_000

/** For a connection, its greeting, and an answer. */
export const imapTimeoutMs = 30_000

/** Characters of text in which a reply is looked for, and of one line: what finds quotes takes the cube of a line. */
export const replyTextMax = 50_000
export const replyLineMax = 300

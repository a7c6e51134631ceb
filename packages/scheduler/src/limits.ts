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

// Outgoing mail

/** While a process sends a mail, no other one does; then it counts as gone and another takes over. */
export const mailLeaseMs = 60_000

/** One attempt to send, well within its lease. */
export const mailSendMs = 45_000

/** Mails that one process sends at a time: more than most servers like from one client. */
export const mailsAtOnceMax = 4

/** After each failed attempt, the last one again and again until the time is over. */
export const mailRetryDelaysMs = [60_000, 120_000, 300_000, 900_000, 3_600_000] as const
export const mailRetryWindowMs = 72 * 3_600_000

/** Until the server has greeted: so long an end of the worker may wait for it. */
export const smtpConnectMs = 15_000

/** An SMTP connection without work is closed: soon, so that the server never closes it under a mail. */
export const smtpIdleMs = 5_000

/** Between two looks whether the server is there, for the status. */
export const smtpCheckMs = 15 * 60_000

/** For mails under way when the worker ends. */
export const mailCloseGraceMs = 5_000

/** Characters of a server's words that are kept. */
export const mailErrorMax = 500

/** Characters of a subject that this worker makes up itself. */
export const mailSubjectMax = 120

/** Somebody may keep a message from leaving for this long. */
export const reviewMs = 15 * 60_000

/** Messages that one transaction sends on their way. */
export const messagesPerRelease = 100

/** Of one digest; what is left over comes in the next one. */
export const digestMessagesMax = 200
export const digestRunsMax = 500

/** Characters of one message in a digest. */
export const digestMessageTextMax = 4_000

/** A run may be written a little after its own end, and clocks of processes differ. */
export const digestOverlapMs = 3_600_000

/** Characters of an idempotency key. */
export const idempotencyKeyMax = 128

/** Characters of an id of ours, or of a Message-ID: RFC 5322's longest line. */
export const mailIdMax = 998

/** How long SQLite itself waits for another process's lock. It blocks the event loop, so it is shorter than a heartbeat by far. */
export const sqliteBusyTimeoutMs = 10

/** The pause between two attempts at a locked SQLite file; the event loop runs meanwhile. */
export const busyRetryDelayMs = 10

/** How long a write waits for the writers of other processes: longer than any sane transaction, shorter than a call's deadline. */
export const lockWaitMs = 10_000

/** How long an exclusive opener waits for its predecessor: a process that was told to stop still has to commit. */
export const ownershipWaitMs = 1_000

/** PostgreSQL connections per store: one writes at a time, the others read. Five workers stay far below the server's default of 100. */
export const connectionsMax = 8

/** How long to wait for a PostgreSQL connection, be it new or from the pool. */
export const connectTimeoutMs = 5_000

/** Seconds after which PostgreSQL probes a silent peer, so that the locks of a host that vanished are free within a minute. */
export const keepaliveIdleSeconds = 30
export const keepaliveIntervalSeconds = 10
export const keepaliveProbesMax = 3

/** Transactions that may wait in one process; more means that the writer does not keep up, and its callers must hear of it. */
export const transactionsWaitingMax = 1_000

/** Statements that SQLite keeps ready: more than a worker has, some KB each. Lists in a statement make it another one for each length. */
export const statementsPreparedMax = 500

/** How long a reply is kept for a repeat of its call. */
export const callReplyMs = 24 * 60 * 60_000

/** Characters of a caller's key; more than the hub and any tool let through. */
export const callKeyLengthMax = 1_024

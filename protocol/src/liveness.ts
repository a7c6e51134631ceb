/** When silence means something, as multiples of the heartbeat interval that READY named. [CB-70] */

/** A worker this long silent gets no new calls: one beat may be late on a busy machine, a second one is a sign. */
export const suspectAfterBeats = 2
/** A worker without an echo for this long doubts the connection and says HELLO again. */
export const doubtAfterBeats = 3
/** A gap of the worker's own event loop longer than this makes what was buffered suspect. [CB-72] */
export const gapBeats = 1

/** ZMTP's own heartbeats see a dead host or a cut link; they are answered below the event loop. */
export const zmtpHeartbeatIntervalMs = 1_000
export const zmtpHeartbeatTimeoutMs = 3_000
export const zmtpHeartbeatTtlMs = 5_000

export const suspectAfterMs = (heartbeatMs: number): number => heartbeatMs * suspectAfterBeats
export const doubtAfterMs = (heartbeatMs: number): number => heartbeatMs * doubtAfterBeats

/** Every limit and usual measure of the benchmark, with the reason for its value. */

/** Long enough for thousands of calls, short enough that the machine's moods hit all subjects alike. */
export const windowMs = 250
/** For calls of 1 MB: dozens of them, not a handful. */
export const largeWindowMs = 500
/** After the warm-up; the quartiles of twelve ratios say how far they can be trusted. */
export const roundsUsual = 12
export const roundsQuick = 2
export const windowQuickMs = 100
/** Just-in-time compilers need thousands of calls, and of one at a time there would be few. */
export const warmUpInFlight = 16
export const warmUpMs = 1_000
export const warmUpQuickMs = 100
/** Of calls since a subject's start: a busy machine gets through a tenth of them in a second, and the rounds would see compilers at work. */
export const warmUpCalls = 20_000
/** For who is too slow for so many. */
export const warmUpWindowsMax = 4
/** A window whose calls are not all answered so long after its end has failed, and its subject is left out from there on. */
export const settleMs = 15_000
/** Until a subject answers: some start five programs. */
export const openMs = 30_000
/** Every so many answers are read whole and compared; the others by id, canary and length. */
export const wholeCheckEvery = 64
/** Neighbouring buckets of latencies differ by one percent. */
export const bucketGrowth = 1.01
/** Starts of `callboard stdio`; the median of them is reported. */
export const startsUsual = 7
export const startsQuick = 2
export const startMs = 20_000
/** How long an idle hub is watched. */
export const idleUsualMs = 10_000
export const idleQuickMs = 1_000
export const idleWorkers = 20
/** After the workers' sign-in, before an idle hub is watched: what a start leaves to do, V8's tidying up of it too, is done by then. */
export const idleSettleMs = 15_000
/** As many calls as a subject's worker takes at once: no scenario waits in the hub. */
export const concurrency = 256

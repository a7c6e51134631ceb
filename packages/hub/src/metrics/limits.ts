/** Every limit of the metrics, with the reason for its value. */

/** A hub at rest is woken by it; the stalls that agents notice are longer. */
export const eventLoopResolutionMs = 200
/** As long as the longest usual pause between two scrapes. */
export const eventLoopWindowMs = 60_000

/** For so long a page of metrics is the same one: whoever asks in a loop costs no more than one that asks every second. */
export const pageKeptMs = 1_000
/** Pages of that time, one for each set of services that somebody may see; further ones are made anew for each request. */
export const pagesKeptMax = 16

/** Every limit of pinning, with the reason for its value. */

/** Of one name: an older version that comes back, or is still there during an upgrade, needs no second acceptance. */
export const acceptedPerNameMax = 4
/** Of all workers: several times what a large installation lists. */
export const pinsMax = 10_000
/** Far more than so many definitions usually take; read and written whole. */
export const pinFileBytesMax = 32 * 1024 * 1024
/** Held definitions that one answer to an operator has: more than anybody reads at once. */
export const heldShownMax = 500
/** All of them as JSON text: an answer stays far below what a command takes. */
export const heldShownCharactersMax = 4 * 1024 * 1024
/** Names in one line of the log. */
export const heldNamesLoggedMax = 16
/** A worker that changes its definitions all the time gets a line of the log so often. */
export const heldLogMs = 10_000
/** Held definitions that were told of in the log and are remembered for it; beyond it one may be told again. */
export const heldToldMax = 10_000
/** Views of sessions that have held tools of their own: kept whole, to be judged again when something is accepted. */
export const heldViewsMax = 256
/** Of the tools in them, as JSON text. */
export const heldViewsCharactersMax = 4 * 1024 * 1024

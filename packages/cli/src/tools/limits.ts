/** Sentences of each side that are compared one by one: a table of their product is made. */
export const comparedLinesMax = 1_000
/** Definitions that one command to the hub accepts. */
export const acceptedAtOnceMax = 200

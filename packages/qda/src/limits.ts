// What a call may ask for, and what this worker holds. Alphabetical by subject.

/** Codes whose co-occurrence is counted at once: a grid of so many takes 32 MB, and there are two. */
export const cooccurrenceCodesMax = 2_000
/** Pairs of codes in one answer: more than 500 codes have. */
export const cooccurrencePairsMax = 200_000
/** Steps of one count of co-occurrence, about a second; 100,000 codings of 500 codes that all overlap take 50 million. */
export const cooccurrenceStepsMax = 200_000_000

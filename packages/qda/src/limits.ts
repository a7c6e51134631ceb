// What a call may ask for, and what this worker holds. Alphabetical by subject.

/** Codes whose co-occurrence is counted at once: a grid of so many takes 32 MB, and there are two. */
export const cooccurrenceCodesMax = 2_000
/** Pairs of codes in one answer: more than 500 codes have. */
export const cooccurrencePairsMax = 200_000
/** Steps of one count of co-occurrence, about a second; 100,000 codings of 500 codes that all overlap take 50 million. */
export const cooccurrenceStepsMax = 200_000_000

/** UTF-16 units of texts that are copied to a search thread at once: a few milliseconds of the event loop. */
export const patternBatchLength = 1_000_000
/** Texts in such a batch, where they are short. */
export const patternBatchCountMax = 2_000
/** UTF-16 units: nobody writes a longer pattern, and its compilation takes time and memory. */
export const patternLengthMax = 10_000
/** Matches of one search: more than a project has codings, and 20 MB. */
export const patternMatchesMax = 200_000
/** Of a search thread, MB: room for a text of 100 MB, and not for what grows without end. */
export const patternThreadHeapMb = 512
/** A thread that had no search for so long is ended, ms: starting it again takes 30. */
export const patternThreadIdleMs = 60_000
/** Searches at once; others wait in line. */
export const patternThreadsMax = 2

/** Characters of a speaker's label: what is longer before a colon is a sentence. */
export const speakerLabelLengthMax = 63

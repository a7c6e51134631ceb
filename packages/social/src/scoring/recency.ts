const minuteMs = 60_000

/** Straight lines between ages: how much of the signal a post has left. */
export interface RecencyPiece {
  /** ms, included. */
  readonly untilMs: number
  readonly fromMs: number
  /** At `fromMs` and at `untilMs`. */
  readonly begin: number
  readonly end: number
}

/** The youngest first; the feed computes the same in SQL. */
export const recencyPieces = [
  piece(0, 5, 1, 1),
  piece(5, 30, 1, 0.8),
  piece(30, 60, 0.8, 0.5),
  piece(60, 360, 0.5, 0.25),
] as const satisfies readonly RecencyPiece[]

function piece(from: number, until: number, begin: number, end: number): RecencyPiece {
  return { fromMs: from * minuteMs, untilMs: until * minuteMs, begin, end }
}

/** An older post has nothing left of it. */
export const recentMs = 360 * minuteMs

/** 0 to 1; 0 of an age that is no number. A post from the future has no age. */
export function recencyOf(ageMs: number): number {
  const age = Math.max(0, ageMs)
  const found = recencyPieces.find(({ untilMs }) => age <= untilMs)
  if (found === undefined) return 0
  const { fromMs, untilMs, begin, end } = found
  return begin - ((begin - end) * (age - fromMs)) / (untilMs - fromMs)
}

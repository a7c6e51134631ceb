/** UTF-16 units of a text, half-open. */
export interface UnitSpan {
  readonly start: number
  readonly end: number
}

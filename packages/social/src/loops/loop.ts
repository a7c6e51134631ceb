/** Something that is done again and again, by one replica at a time. */
export interface Loop {
  /** Names its row in `cursors`; the row's `value` is the loop's own. */
  readonly name: string
  readonly network: string
  readonly everyMs: number
  /** Whether it rests outside of the active hours. */
  readonly keepsHours: boolean
  /** Under which type the action log tells that it is paused. Default: `analytics`. */
  readonly logType?: string
  /**
   * One turn. What it throws counts as an error of the loop; ten in a row pause it. When the signal aborts it throws: what
   * it left undone is then done by the next turn, which comes at once.
   */
  turn(signal: AbortSignal): Promise<void>
}

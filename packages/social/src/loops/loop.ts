/** Something that is done again and again, by one replica at a time. */
export interface Loop {
  /** Names its row in `cursors`. */
  readonly name: string
  readonly network: string
  readonly everyMs: number
  /** Whether it rests outside of the active hours. */
  readonly keepsHours: boolean
  /** One turn. What it throws counts as an error of the loop; ten in a row pause it. */
  turn(signal: AbortSignal): Promise<void>
}

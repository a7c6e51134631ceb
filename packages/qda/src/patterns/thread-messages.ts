/** One search on its way to the thread; its texts follow in batches. */
export interface BeginMessage {
  readonly kind: 'begin'
  readonly source: string
  readonly flags: string
  readonly scope: MatchScope
  /** Whether the place of group 1 is wanted. The expression then must have one. */
  readonly withGroup: boolean
  readonly limitPerText: number
  readonly limitTotal: number
}

/** Of the matches of one text, which ones are wanted. */
export type MatchScope = 'all' | 'first' | 'last'

export interface TextsMessage {
  readonly kind: 'texts'
  readonly texts: readonly string[]
}

export type ToThread = BeginMessage | TextsMessage

export type FromThread =
  | { readonly kind: 'begun' }
  /** The expression is not one, or can't be run; the reason is the engine's. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | FoundMessage

export interface FoundMessage {
  readonly kind: 'found'
  /** Five numbers for each match: the text's index in the batch, start, end, start and end of group 1 (-1: none). */
  readonly rows: Int32Array
  /** Matches were left out at a limit. */
  readonly isCut: boolean
  /** The total limit is reached: more texts would give nothing. */
  readonly isFull: boolean
}

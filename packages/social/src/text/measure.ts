import type { LengthRule } from './length-rule.js'

export interface Measured {
  readonly count: number
  readonly limit: number
  readonly unit: 'weighted characters' | 'graphemes' | 'characters'
  readonly fits: boolean
}

/** How long the text is where that rule holds; one that is empty does not fit. A content warning counts where networks count it. */
export function measure(_text: string, _rule: LengthRule, _contentWarning = ''): Measured {
  throw new Error('not yet')
}

import twitterText from 'twitter-text'
import type { LengthRule } from './length-rule.js'

export interface Measured {
  readonly count: number
  readonly limit: number
  readonly unit: 'weighted characters' | 'graphemes' | 'characters'
  readonly fits: boolean
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** How long the text is where that rule holds; one that is empty does not fit. A content warning counts where networks count it. */
export function measure(text: string, rule: LengthRule, contentWarning = ''): Measured {
  if (rule.kind === 'weighted') {
    const { weightedLength } = twitterText.parseTweet(text.normalize('NFC'))
    return {
      count: weightedLength,
      limit: 280,
      unit: 'weighted characters',
      fits: weightedLength > 0 && weightedLength <= 280,
    }
  }
  const isShort = rule.kind === 'short-urls'
  const counted = isShort ? text.replaceAll(/https?:\/\/\S+/g, 'u'.repeat(rule.urlLength)) + contentWarning : text
  const count = [...segmenter.segment(counted)].length
  return { count, limit: rule.max, unit: isShort ? 'characters' : 'graphemes', fits: count > 0 && count <= rule.max }
}

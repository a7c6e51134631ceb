import twitter from 'twitter-text'
import { measuredLengthMax, tweetWeightMax, weightedLengthMax } from '../limits.js'
import { isBlank } from './blank-text.js'
import { countGraphemes } from './graphemes.js'
import type { LengthRule } from './length-rule.js'

export interface Measured {
  readonly count: number
  readonly limit: number
  /** `bytes` only of a text that has few enough graphemes and too many of them. */
  readonly unit: 'weighted characters' | 'graphemes' | 'characters' | 'bytes'
  readonly fits: boolean
}

/**
 * How long the text is where that rule holds; one without anything to see does not fit. A content warning counts where
 * networks count it. Takes any text; of one that is far too long it says only so.
 */
export function measure(text: string, rule: LengthRule, contentWarning = ''): Measured {
  switch (rule.kind) {
    case 'weighted':
      return weighted(text)
    case 'graphemes':
      return inGraphemes(text, rule)
    case 'short-urls':
      return withShortUrls(text, rule, contentWarning)
  }
}

function weighted(text: string): Measured {
  const shape = { limit: tweetWeightMax, unit: 'weighted characters' } as const
  if (text.length > weightedLengthMax) return { ...shape, count: text.length, fits: false }
  // It composes the text (NFC) before it counts.
  const { weightedLength, valid } = twitter.parseTweet(text)
  return { ...shape, count: weightedLength, fits: valid && !isBlank(text) }
}

function inGraphemes(text: string, { max, bytesMax }: LengthRule & { kind: 'graphemes' }): Measured {
  const bytes = Buffer.byteLength(text)
  const count = text.length > measuredLengthMax ? text.length : countGraphemes(text)
  if (count <= max && bytes > bytesMax) return { count: bytes, limit: bytesMax, unit: 'bytes', fits: false }
  return { count, limit: max, unit: 'graphemes', fits: count <= max && bytes <= bytesMax && !isBlank(text) }
}

function withShortUrls(text: string, rule: LengthRule & { kind: 'short-urls' }, contentWarning: string): Measured {
  const shape = { limit: rule.max, unit: 'characters' } as const
  const length = text.length + contentWarning.length
  if (length > measuredLengthMax) return { ...shape, count: Math.max(length, rule.max + 1), fits: false }
  const count = countGraphemes(contentWarning + shortened(text, rule.urlLength))
  return { ...shape, count, fits: count <= rule.max && !isBlank(text) }
}

/** As Mastodon counts: with a stand-in for each URL, and without the hosts of mentions. */
function shortened(text: string, urlLength: number): string {
  const standIn = 'x'.repeat(urlLength)
  let rest = ''
  let end = 0
  for (const { indices } of urlsOf(text)) {
    rest += text.slice(end, indices[0]) + standIn
    end = indices[1]
  }
  return withoutHosts(rest + text.slice(end))
}

/** twitter-text itself would try at every character, which takes the square of the length where there is no URL. */
function urlsOf(text: string): readonly { readonly indices: readonly [number, number] }[] {
  const urls: { readonly indices: readonly [number, number] }[] = []
  let end = 0
  for (const { index } of text.matchAll(/https?:\/\//gi)) {
    if (index < end) continue
    // With the character before it: behind some there is no URL.
    const from = Math.max(0, index - 1)
    urlHere.lastIndex = 0
    const found = urlHere.exec(text.slice(from, from + urlWindow))?.[0]
    if (found === undefined) continue
    const [url] = twitter.extractUrlsWithIndices(found, { extractUrlsWithoutProtocol: false })
    end = from + found.length
    if (url === undefined || from + url.indices[0] !== index) continue
    end = from + url.indices[1]
    urls.push({ indices: [index, end] })
  }
  return urls
}

const urlHere = new RegExp(twitter.regexen.extractUrl.source, 'iy')
/** UTF-16 units; no URL that twitter-text knows is longer than 4,096. */
const urlWindow = 4_200

/** `@user@host` as `@user`: what Mastodon counts, and what readers of its posts see. */
export function withoutHosts(text: string): string {
  return text.replace(fullMention, '$1')
}

const fullMention =
  /(?<![=/\p{L}\p{M}\p{N}_])(@[a-z0-9_]+(?:[.-]+[a-z0-9_]+)*)@[\p{L}\p{M}\p{N}_]+(?:[.-]+[\p{L}\p{M}\p{N}_]+)*/giu

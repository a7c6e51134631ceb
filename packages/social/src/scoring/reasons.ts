import type { ScoreInput, Signal } from './scorer.js'
import { counted, isKnown, reactionsTo } from './signals.js'

/** For each signal: what of the post gave it its points. */
export function causesOf(input: ScoreInput, matched: readonly string[], now: number): Readonly<Record<Signal, string>> {
  const { followers, replies } = input
  const known = isKnown(followers)
  return {
    keyword_relevance: keywordsText(matched),
    follower: known ? `${plural(followers, 'follower')}` : 'follower count unknown',
    recency: ageText(now - input.postedAt),
    engagement: `${plural(reactionsTo(input), 'reaction')}${known ? '' : ', follower count unknown'}`,
    reply_count: repliesText(counted(replies)),
    content_type: contentText(input),
  }
}

function keywordsText(matched: readonly string[]): string {
  if (matched.length === 0) return 'matches no keyword'
  const more = matched.length - namedMax
  return `matches ${matched.slice(0, namedMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const namedMax = 5

function ageText(ms: number): string {
  if (!Number.isFinite(ms)) return 'age unknown'
  const minutes = Math.floor(Math.max(0, ms) / 60_000)
  if (minutes < 120) return `${minutes} min old`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h old` : `${Math.floor(hours / 24)} days old`
}

function repliesText(count: number): string {
  return count === 1 ? '1 reply' : `${numbers.format(count)} replies`
}

function contentText({ hasMedia, isQuote }: ScoreInput): string {
  if (hasMedia) return isQuote ? 'a quote with media' : 'with media'
  return isQuote ? 'a quote' : 'text only'
}

function plural(count: number, thing: string): string {
  return `${numbers.format(count)} ${thing}${count === 1 ? '' : 's'}`
}

const numbers = new Intl.NumberFormat('en')

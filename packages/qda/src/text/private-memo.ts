import { QdaFailure } from '../failure.js'

/** From its first occurrence on, a memo is its researcher's alone. */
const privateMark = '#####'

/** What agents may see of a memo, without the white space before its private part. Null: nothing. */
export function publicPart(memo: string | null): string | null {
  return split(memo).open || null
}

/**
 * The memo with another public part; the private part and the white space before it stay as they are.
 * @throws QdaFailure INVALID_ARGUMENT for a text with the mark of a private part.
 */
export function withPublicPart(stored: string | null, open: string | null): string {
  const { gap, hidden } = split(stored)
  const text = open ?? ''
  refuseMark(text)
  // A # at the end would become part of the mark, and move it.
  const keptApart = hidden !== '' && gap === '' && text.endsWith('#') ? '\n' : gap
  return `${text}${keptApart}${hidden}`
}

/** The memo with one more paragraph at the end of its public part. Throws as `withPublicPart` does. */
export function appendPublic(stored: string | null, addition: string): string {
  refuseMark(addition)
  const { open } = split(stored)
  // The line break also keeps a # at the end from meeting one at the start.
  return withPublicPart(stored, open === '' || open.endsWith('\n') ? `${open}${addition}` : `${open}\n${addition}`)
}

/**
 * Two memos in one: a heading and the public part of the other follow the public part, and the other's private part is at the very
 * end, so that both stay private. Throws as `withPublicPart` does, for the heading.
 */
export function joinMemos(stored: string | null, other: string | null, heading = ''): string {
  const { open, hidden } = split(other)
  const addition = [heading, open].filter(Boolean).join('\n')
  const joined = addition === '' ? (stored ?? '') : appendPublic(stored, addition)
  return [joined, hidden].filter(Boolean).join('\n')
}

function split(memo: string | null): { readonly open: string; readonly gap: string; readonly hidden: string } {
  const text = memo ?? ''
  const mark = text.indexOf(privateMark)
  if (mark < 0) return { open: text, gap: '', hidden: '' }
  const before = text.slice(0, mark)
  const open = before.trimEnd()
  return { open, gap: before.slice(open.length), hidden: text.slice(mark) }
}

function refuseMark(text: string): void {
  if (!text.includes(privateMark)) return
  throw new QdaFailure(
    'INVALID_ARGUMENT',
    `A memo must not contain ${privateMark}: what follows it is private to the researcher. Use fewer # in a row`,
  )
}

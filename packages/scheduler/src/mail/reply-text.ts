/// <reference path="./email-reply-parser.d.ts" />
import EmailReplyParser from 'email-reply-parser'
import { replyLineMax, replyTextMax } from '../limits.js'

/** What a person wrote, without the mail that it answers and without a signature; all of it where that would leave nothing. */
export function replyText(text: string): string {
  const whole = text.replaceAll(/\r\n?/g, '\n').trim()
  if (whole.length > replyTextMax) return whole
  const reply = withoutTrailingQuote(visiblePart(whole)).trim()
  return reply === '' ? whole : reply
}

/**
 * The library takes any rule of dashes for a signature, which in Markdown it is not, and its patterns take seconds for long
 * lines and long gaps: those lines stand aside meanwhile.
 */
function visiblePart(text: string): string {
  const lines = text.replaceAll(/\n{3,}/g, '\n\n').split('\n')
  const shown = lines.map((line, index) => (mustStandAside(line) ? placeholder(line, index) : line))
  const visible: string = new EmailReplyParser().parseReply(shown.join('\n'))
  return visible.replaceAll(placeholders, (all, index: string) => lines[Number(index)] ?? all)
}

function mustStandAside(line: string): boolean {
  return line.length > replyLineMax || /^\s*(-{2,4}|_{2,4}|={2,4}|\+{2,4})$/.test(line)
}

// Private use characters, which mail does not hold; where it does, a line is shown twice at worst.
const placeholders = />?\uE000(\d+)\uE001/g

/** A quoted line stays one. */
function placeholder(line: string, index: number): string {
  return `${line.startsWith('>') ? '>' : ''}\uE000${index}\uE001`
}

/** The quote at the end, unless the words before it need it. Quotes between answers stay: answers need them. */
function withoutTrailingQuote(text: string): string {
  const lines = text.split('\n')
  while (lines.length > 0 && /^(>.*|\s*)$/.test(lines.at(-1)!)) lines.pop()
  return lines.at(-1)?.trimEnd().endsWith(':') ? text : lines.join('\n')
}

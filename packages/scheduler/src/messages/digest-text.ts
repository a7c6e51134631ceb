import { digestMessageTextMax } from '../limits.js'
import { oneLine } from '../mail/outbox-row.js'
import { localMinute } from '../schedule/zones.js'
import { withoutInternal } from './internal-text.js'

export interface DigestGroup {
  readonly tag: string
  readonly name: string
}

export interface DigestMessage {
  readonly id: string
  readonly group: DigestGroup
  /** UTC ms. */
  readonly at: number
  readonly text: string
}

/** Runs of one task that ended the same way. */
export interface DigestTrouble {
  readonly group: DigestGroup
  /** What ran: the name of a task, or the beginning of its prompt. */
  readonly title: string
  /** E.g. `timed out`. */
  readonly how: string
  readonly times: number
  /** UTC ms. */
  readonly firstAt: number
  readonly lastAt: number
  /** Of the last one. */
  readonly error: string | null
}

export interface DigestPause {
  readonly group: DigestGroup
  /** UTC ms. */
  readonly at: number
  readonly text: string
}

export interface Digest {
  /** The window: UTC ms, its end included. */
  readonly from: number
  readonly to: number
  readonly timeZone: string
  /** Oldest first. */
  readonly messages: readonly DigestMessage[]
  readonly troubles: readonly DigestTrouble[]
  readonly pauses: readonly DigestPause[]
  /** There was more than one digest takes. */
  readonly moreFollows: boolean
}

/** The mail of a digest: one content, as text and as HTML. */
export function digestMail(digest: Digest): { readonly subject: string; readonly text: string; readonly html: string } {
  const sections = sectionsOf(digest)
  const closing = closingOf(digest)
  return { subject: subjectOf(digest), text: asText(sections, closing), html: asHtml(sections, closing) }
}

interface Section {
  readonly heading: string
  readonly items: readonly { readonly label: string; readonly text: string }[]
}

function subjectOf({ messages, troubles, pauses, to, timeZone }: Digest): string {
  const all = [...messages, ...troubles, ...pauses]
  const groups = new Set(all.map(({ group }) => group.tag)).size
  return `Callboard digest: ${counted(all.length, 'item')}, ${counted(groups, 'group')}, ${localMinute(to, timeZone)} ${timeZone}`
}

function sectionsOf(digest: Digest): Section[] {
  const { messages, troubles, pauses, timeZone } = digest
  const byTag = new Map<string, DigestMessage[]>()
  for (const message of messages) byTag.set(message.group.tag, [...(byTag.get(message.group.tag) ?? []), message])
  return [
    ...[...byTag.values()].map((ofGroup) => groupSection(ofGroup, timeZone)),
    { heading: 'Runs that did not end well', items: troubles.map((trouble) => troubleItem(trouble, timeZone)) },
    { heading: 'Tasks that were paused', items: pauses.map((pause) => pauseItem(pause, timeZone)) },
  ].filter(({ items }) => items.length > 0)
}

function groupSection(messages: readonly DigestMessage[], timeZone: string): Section {
  const { tag, name } = messages[0]!.group
  return {
    heading: `[${tag}] ${oneLine(name)}`,
    items: messages.map(({ id, at, text }) => ({ label: localMinute(at, timeZone), text: shortened(text, id) })),
  }
}

function shortened(stored: string, id: string): string {
  const text = withoutInternal(stored)
  const characters = [...text]
  if (characters.length <= digestMessageTextMax) return text
  return `${characters.slice(0, digestMessageTextMax).join('')}…\n(cut; the whole text is message ${id})`
}

function troubleItem({ group, title, how, times, firstAt, lastAt, error }: DigestTrouble, timeZone: string) {
  const often = times > 1 ? `, ${times} times since ${localMinute(firstAt, timeZone)}` : ''
  const why = error === null ? '' : `\n${oneLine(error)}`
  return { label: localMinute(lastAt, timeZone), text: `[${group.tag}] ${oneLine(title)}: ${how}${often}${why}` }
}

function pauseItem({ group, at, text }: DigestPause, timeZone: string) {
  return { label: localMinute(at, timeZone), text: `[${group.tag}] ${oneLine(text)}` }
}

function closingOf({ from, to, timeZone, moreFollows }: Digest): string {
  const window = `From ${localMinute(from, timeZone)} to ${localMinute(to, timeZone)} ${timeZone}.`
  return moreFollows ? `${window} There is more than one digest takes: the rest follows in the next one.` : window
}

function asText(sections: readonly Section[], closing: string): string {
  const parts = sections.map(({ heading, items }) =>
    [heading, '='.repeat([...heading].length), ...items.map(({ label, text }) => `\n${label}\n${text}`)].join('\n'),
  )
  return `${[...parts, closing].join('\n\n\n')}\n`
}

function asHtml(sections: readonly Section[], closing: string): string {
  const item = ({ label, text }: Section['items'][number]) =>
    `<p><small>${escaped(label)}</small></p>\n<div style="white-space: pre-wrap">${escaped(text)}</div>`
  const parts = sections.map(({ heading, items }) => [`<h3>${escaped(heading)}</h3>`, ...items.map(item)].join('\n'))
  const body = [...parts, `<hr>\n<p><small>${escaped(closing)}</small></p>`].join('\n')
  return `<!doctype html>\n<html><head><meta charset="utf-8"></head><body>\n${body}\n</body></html>\n`
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

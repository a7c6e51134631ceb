import { createHash } from 'node:crypto'
import { storable } from '@callboard/store'
import { type ParsedMail, simpleParser } from 'mailparser'
import { attachmentNamesMax, longTextMax, mailHtmlDepthMax, mailHtmlMax, mailSubjectMax } from '../limits.js'

/** What a mail says. Only its server's own headers can be believed; who wrote it is not decided here. */
export interface IncomingMail {
  /** Message-ID with its angle brackets, or `sha256:…` of the whole mail where it has none that fits. */
  readonly messageId: string
  /** In lower case; undefined unless there is exactly one. */
  readonly from: string | undefined
  readonly to: readonly string[]
  readonly subject: string
  /** With everything quoted; HTML as text. */
  readonly text: string
  /** As they stand, topmost first, unfolded. */
  readonly headers: readonly MailHeader[]
  /** Topmost first: the last one that was put in front. */
  readonly authenticationResults: readonly string[]
  readonly attachmentNames: readonly string[]
  readonly inReplyTo: string | undefined
  readonly autoSubmitted: string | undefined
  readonly precedence: string | undefined
  /** `<>`: nobody wants an answer. */
  readonly returnPath: string | undefined
}

export interface MailHeader {
  /** In lower case. */
  readonly name: string
  readonly value: string
}

/** All but its text and attachments: cheap, whatever a stranger has put into those. Rejects for what is no readable mail. */
export async function readHead(raw: Buffer): Promise<IncomingMail> {
  return contentOf(await simpleParser(headOf(raw), { skipHtmlToText: true, skipTextToHtml: true }), raw)
}

/** Rejects for what is no readable mail. */
export async function readMail(raw: Buffer): Promise<IncomingMail> {
  const options = { skipImageLinks: true, skipTextToHtml: true, skipTextLinks: true, maxHtmlLengthToParse: mailHtmlMax }
  const plain = await simpleParser(raw, { ...options, skipHtmlToText: true })
  // Each level takes time for all that lies in it: a stranger's deep mail would stop this process for minutes.
  const isShallow = typeof plain.html === 'string' && nestingOf(plain.html) <= mailHtmlDepthMax
  if (typeof plain.html === 'string' && !isShallow && !plain.text?.trim()) throw new Error('Its HTML is too deep.')
  return contentOf(isShallow ? await simpleParser(raw, options) : plain, raw)
}

function contentOf(mail: ParsedMail, raw: Buffer): IncomingMail {
  const headers = mail.headerLines.map(headerOf)
  const first = (name: string) => headers.find((header) => header.name === name)?.value
  return {
    messageId: messageIdOf(headers) ?? hashOf(raw),
    from: authorOf(mail, headers),
    to: addressesOf(mail.to),
    subject: storable(mail.subject ?? '', mailSubjectMax),
    text: storable(mail.text ?? '', longTextMax),
    headers,
    authenticationResults: headers.filter(({ name }) => name === 'authentication-results').map(({ value }) => value),
    attachmentNames: attachmentNames(mail),
    inReplyTo: first('in-reply-to'),
    autoSubmitted: first('auto-submitted'),
    precedence: first('precedence'),
    returnPath: first('return-path'),
  }
}

/** Up to and with the empty line; line ends may be either. */
function headOf(raw: Buffer): Buffer {
  const ends = ['\r\n\r\n', '\n\n'].map((end) => [raw.indexOf(end), end.length] as const).filter(([at]) => at >= 0)
  if (ends.length === 0) return raw
  const [at, length] = ends.reduce((first, end) => (end[0] < first[0] ? end : first))
  return raw.subarray(0, at + length)
}

/** Names a mail that has no Message-ID, and one that can't be read. */
export function hashOf(raw: Buffer): string {
  return `sha256:${createHash('sha256').update(raw).digest('hex')}`
}

function headerOf({ key, line }: { readonly key: string; readonly line: string }): MailHeader {
  const value = line.slice(line.indexOf(':') + 1)
  return { name: key, value: value.replaceAll(/\r?\n(?=[ \t])/g, '').trim() }
}

function messageIdOf(headers: readonly MailHeader[]): string | undefined {
  const value = headers.find(({ name }) => name === 'message-id')?.value ?? ''
  // Printable ASCII, and no longer than a line may be: the rest is told apart by its hash.
  return /^<[!-~]{1,990}>$/.test(value) ? value : undefined
}

/** Several senders, or several headers that name one, are somebody's attempt to be read differently by each reader. */
function authorOf(mail: ParsedMail, headers: readonly MailHeader[]): string | undefined {
  const authors = addressesOf(mail.from)
  const isOne = headers.filter(({ name }) => name === 'from').length === 1 && authors.length === 1
  return isOne ? authors[0] : undefined
}

function addressesOf(field: ParsedMail['to']): string[] {
  const entries = [field ?? []].flat().flatMap(({ value }) => value)
  return entries.flatMap(({ address, group }) =>
    group === undefined ? [(address ?? '').toLowerCase()] : group.map((member) => (member.address ?? '').toLowerCase()),
  )
}

function attachmentNames({ attachments }: ParsedMail): string[] {
  return attachments
    .slice(0, attachmentNamesMax)
    .map(({ filename, contentType }) => storable((filename ?? contentType).replaceAll(/\s+/g, ' '), 200))
}

/** At most so deep, without what closes itself; what is never closed counts. */
function nestingOf(html: string): number {
  let [depth, deepest] = [0, 0]
  for (const [, end] of html.matchAll(
    /<(\/?)(?!(?:br|hr|img|meta|link|input|col|p|li|d[dt]|t[dhr]|option)\b)[a-z]/gi,
  )) {
    depth = end === '/' ? Math.max(0, depth - 1) : depth + 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

import { type Content, type ResourceLink, text } from '@callboard/worker'
import {
  displayBytesMax,
  imageInlineBytesMax,
  imagesInlineBytesMax,
  imagesInlineMax,
  linksMax,
  shownTextBytesMax,
  shownTextsBytesMax,
} from '../limits.js'
import type { MimeBundle } from '../runtime/runtime.js'

/** What is kept of one display: the best of what a value offers to an agent. */
export interface Shown {
  readonly mimeType: ShownType
  readonly bytes: Buffer
}

/** One display in a run's folder; numbered from 1. */
export interface KeptDisplay {
  readonly n: number
  readonly mimeType: ShownType
  readonly size: number
}

/** Every kind of display, with the ending of its file. */
export const shownTypes = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/latex': 'tex',
  'text/html': 'html',
  'application/json': 'json',
} as const

export type ShownType = keyof typeof shownTypes

const readable = ['text/markdown', 'text/plain', 'text/latex'] as const
const linked = ['image/svg+xml', 'text/html', 'application/json'] as const

/**
 * An image if the bytes are one; else markup that is worth a link, with the text beside it; else text. Nothing for a bundle
 * of unknown types only.
 */
export function shownOf({ data }: MimeBundle): readonly Shown[] {
  const image = imageOf(data)
  if (image) return [image]
  const texts = readable.flatMap((type) => textOf(data, type)).slice(0, 1)
  const markup = linked.flatMap((type) => textOf(data, type)).slice(0, 1)
  // Markdown says all that the markup does, in words that an agent reads.
  const shown = texts[0]?.mimeType === 'text/markdown' ? texts : [...texts, ...markup]
  return shown.filter(({ bytes }) => bytes.length <= displayBytesMax)
}

export function displayUri(runId: number, n: number): string {
  return `weave://runs/${runId}/images/${n}`
}

/** MCP content in the order of the displays, within the limits of a reply. `read` gives the bytes of one, or nothing if they are gone. */
export async function contentOf(
  runId: number,
  displays: readonly KeptDisplay[],
  read: (display: KeptDisplay) => Promise<Buffer | undefined>,
): Promise<readonly Content[]> {
  const room = {
    images: imagesInlineMax,
    imageBytes: imagesInlineBytesMax,
    textBytes: shownTextsBytesMax,
    links: linksMax,
  }
  const content: Content[] = []
  for (const display of displays) {
    const inline = takeRoom(room, display) ? await read(display) : undefined
    if (inline) content.push(inlineContent(display, inline))
    else if (room.links-- > 0) content.push(linkTo(runId, display))
  }
  if (room.links < 0)
    content.push(
      text(`${-room.links} more displays of run ${runId}: ${displayUri(runId, displays.length)} and before.`),
    )
  return content
}

interface Room {
  images: number
  imageBytes: number
  textBytes: number
  links: number
}

/** A display that does not fit leaves room for a later, smaller one. */
function takeRoom(room: Room, { mimeType, size }: KeptDisplay): boolean {
  if (isImage(mimeType)) {
    if (room.images === 0 || size > Math.min(imageInlineBytesMax, room.imageBytes)) return false
    room.images -= 1
    room.imageBytes -= size
    return true
  }
  if (!isReadable(mimeType) || size > Math.min(shownTextBytesMax, room.textBytes)) return false
  room.textBytes -= size
  return true
}

function inlineContent({ mimeType }: KeptDisplay, bytes: Buffer): Content {
  return isImage(mimeType) ? { type: 'image', data: bytes.toString('base64'), mimeType } : text(bytes.toString('utf8'))
}

function linkTo(runId: number, { n, mimeType, size }: KeptDisplay): ResourceLink {
  return {
    type: 'resource_link',
    uri: displayUri(runId, n),
    name: `run-${runId}-${n}.${shownTypes[mimeType]}`,
    mimeType,
    size,
  }
}

export function isImage(type: ShownType): type is 'image/png' | 'image/jpeg' {
  return type === 'image/png' || type === 'image/jpeg'
}

function isReadable(type: ShownType): boolean {
  return readable.some((known) => known === type)
}

/** By what the bytes are, never by what they are called: a client decodes them. */
function imageOf(data: MimeBundle['data']): Shown | undefined {
  for (const type of ['image/png', 'image/jpeg']) {
    const encoded = data[type]
    if (typeof encoded !== 'string' || encoded.length > displayBytesMax * 1.5) continue
    const bytes = Buffer.from(encoded, 'base64')
    const mimeType = imageTypeOf(bytes)
    if (mimeType && bytes.length <= displayBytesMax) return { mimeType, bytes }
  }
  return undefined
}

const pngMagic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const jpegMagic = Buffer.from([0xff, 0xd8, 0xff])

export function imageTypeOf(bytes: Buffer): 'image/png' | 'image/jpeg' | undefined {
  if (bytes.subarray(0, pngMagic.length).equals(pngMagic)) return 'image/png'
  return bytes.subarray(0, jpegMagic.length).equals(jpegMagic) ? 'image/jpeg' : undefined
}

function textOf(data: MimeBundle['data'], type: ShownType): readonly Shown[] {
  const value = data[type]
  if (value === undefined || value === null) return []
  const written = Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('') : value
  if (typeof written !== 'string' && type !== 'application/json') return []
  const content = type === 'application/json' ? jsonOf(value) : (written as string)
  return content === undefined ? [] : [{ mimeType: type, bytes: Buffer.from(content) }]
}

/** Undefined for what is nested deeper than the stack: JSON can be read to any depth, and not be written again. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

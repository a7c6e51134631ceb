import { createHash } from 'node:crypto'
import type { Clock } from '@callboard/worker/clock'
import type { MediaNote } from '../approval/proposals.js'
import { failure } from '../envelope/failure.js'
import { mediaPathLengthMax, mediaTotalBytesMax } from '../limits.js'
import type { Capabilities, Medium, NetworkAdapter } from '../networks/network-adapter.js'
import type { Database } from '../records/schema.js'
import { imageTypeOf, imageTypes } from './image-type.js'
import { mediaTooLarge } from './media-too-large.js'
import { readBelow } from './read-below.js'

/** What a caller gives: a path or bytes, never both. */
export interface MediaEntry {
  readonly path?: string
  /** Base64. */
  readonly data?: string
  readonly alt: string
  /** From 0. */
  readonly part: number
}

/** Where the files are to go. */
export interface MediaPlace {
  readonly network: Pick<NetworkAdapter, 'name' | 'capabilities'>
  /** How many parts the item has. */
  readonly parts: number
}

/** A file that was read and found fit; not stored yet. */
export interface ReadMedium extends Medium {
  /** From 0. */
  readonly part: number
}

/** Files of items, kept by the hash of their bytes from the proposal on: what was approved is what is published. */
export class MediaStore {
  readonly #roots: readonly string[]
  readonly #clock: Clock

  constructor({ roots, clock }: { readonly roots: readonly string[]; readonly clock: Clock }) {
    this.#roots = roots
    this.#clock = clock
  }

  /**
   * Before any transaction: reads and checks every file. Throws `capability_missing`, `validation_error`,
   * `unsupported_media_type` or `file_read_error`.
   */
  async read(entries: readonly MediaEntry[], place: MediaPlace): Promise<readonly ReadMedium[]> {
    checkPlace(entries, place)
    const { mediaBytesMax, altTextMax } = place.network.capabilities
    const media: ReadMedium[] = []
    let total = 0
    for (const [index, entry] of entries.entries()) {
      const which = `media[${index}]`
      checkAlt(entry.alt, altTextMax, which)
      const bytes = await this.#bytesOf(entry, mediaBytesMax, which)
      total += bytes.length
      if (total > mediaTotalBytesMax) throw mediaTooLarge('media, all files together,', mediaTotalBytesMax)
      media.push({ part: entry.part, alt: entry.alt, bytes, ...checked(bytes, which) })
    }
    return media
  }

  /** In the caller's transaction. The same bytes are stored once. */
  async store(db: Database, media: readonly ReadMedium[]): Promise<readonly MediaNote[]> {
    for (const { sha256, mime, bytes } of media) {
      const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
      await db
        .insertInto('media')
        .values({ sha256, mime, bytes: bytes.length, data, created_at: this.#clock.now() })
        .onConflict((conflict) => conflict.column('sha256').doNothing())
        .execute()
    }
    return media.map(({ part, sha256, mime, bytes, alt }) => ({ part, sha256, mime, bytes: bytes.length, alt }))
  }

  /** In the order of the notes. Throws `media_upload_error` when a file is gone or is another one: nothing goes out without it. */
  async load(db: Database, notes: readonly Omit<MediaNote, 'part'>[]): Promise<readonly Medium[]> {
    if (notes.length === 0) return []
    const hashes = [...new Set(notes.map(({ sha256 }) => sha256))]
    const rows = await db.selectFrom('media').select(['sha256', 'data']).where('sha256', 'in', hashes).execute()
    const data = new Map(rows.map((row) => [row.sha256, Buffer.from(row.data, 'base64')]))
    return notes.map(({ sha256, mime, alt }) => {
      const bytes = data.get(sha256)
      if (bytes !== undefined && hashOf(bytes) === sha256) return { sha256, mime, alt, bytes }
      throw failure('media_upload_error', 'A file of this post is no longer stored: propose the post again, with it.')
    })
  }

  async #bytesOf({ path, data }: MediaEntry, bytesMax: number, which: string): Promise<Uint8Array> {
    if ((path === undefined) === (data === undefined)) {
      throw failure('validation_error', `${which} needs either path or data.`)
    }
    if (data !== undefined) return bytesOfBase64(data, bytesMax, which)
    if (path === undefined || path === '' || path.length > mediaPathLengthMax || path.includes('\0')) {
      throw failure('validation_error', `${which}.path must be the path of a file.`)
    }
    return await readBelow(this.#roots, path, bytesMax)
  }
}

function checkPlace(entries: readonly MediaEntry[], { network, parts }: MediaPlace): void {
  const { canAttach, mediaMax }: Capabilities = network.capabilities
  if (entries.length === 0) return
  if (!canAttach) {
    throw failure('capability_missing', `Posts on ${network.name} take no files: leave media out.`, {
      details: { network: network.name },
    })
  }
  for (const [index, { part }] of entries.entries()) {
    if (!Number.isInteger(part) || part < 0 || part >= parts) {
      throw failure('validation_error', `media[${index}].part must be a part of the post: 0 to ${parts - 1}.`)
    }
    if (entries.filter((other) => other.part === part).length > mediaMax) {
      throw failure('validation_error', `One part takes ${mediaMax} files at most on ${network.name}.`)
    }
  }
}

function checkAlt(alt: string, lengthMax: number, which: string): void {
  if (alt.length > lengthMax) {
    throw failure('validation_error', `${which}.alt must have at most ${lengthMax} characters.`)
  }
}

function bytesOfBase64(data: string, bytesMax: number, which: string): Uint8Array {
  if (data.length > Math.ceil(bytesMax / 3) * 4) throw mediaTooLarge(`${which}.data`, bytesMax)
  const bytes = Buffer.from(data, 'base64')
  // Node skips whatever is no base64; then what it read is not what was written.
  if (bytes.length === 0 || bytes.toString('base64') !== data) {
    throw failure(
      'validation_error',
      `${which}.data must be base64 with its padding, without line breaks and without a "data:" prefix.`,
    )
  }
  if (bytes.length > bytesMax) throw mediaTooLarge(`${which}.data`, bytesMax)
  return bytes
}

function checked(bytes: Uint8Array, which: string): Pick<Medium, 'mime' | 'sha256'> {
  const mime = imageTypeOf(bytes)
  if (mime !== undefined) return { mime, sha256: hashOf(bytes) }
  throw failure('unsupported_media_type', `${which} is no image that posts take: ${imageTypes.join(', ')}.`)
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

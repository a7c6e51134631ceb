import type { MediaNote } from '../approval/proposals.js'
import type { Foundation } from '../foundation.js'
import type { Capabilities, Medium } from '../networks/network-adapter.js'
import type { Database } from '../records/schema.js'

/** A file as a call names it: exactly one of path and data. */
export interface GivenMedium {
  readonly path?: string | undefined
  /** Base64. */
  readonly data?: string | undefined
  readonly alt: string
  /** From 0. */
  readonly part: number
}

export interface ReadMedium extends MediaNote {
  readonly data: Uint8Array
}

/** Files of posts: read once, when they are proposed, and kept in the database, where every replica finds them. */
export class MediaStore {
  constructor(_foundation: Pick<Foundation, 'config' | 'clock'>) {}

  /** Throws a SocialFailure `validation_error`, `unsupported_media_type`, `file_read_error` or `capability_missing`. */
  async read(_given: readonly GivenMedium[], _capabilities: Capabilities): Promise<readonly ReadMedium[]> {
    throw new Error('not yet')
  }

  /** In the transaction of the item that they belong to. */
  async store(_db: Database, _media: readonly ReadMedium[]): Promise<readonly MediaNote[]> {
    throw new Error('not yet')
  }

  /** Those of one part, whole. Throws `file_read_error` when one is gone. */
  async load(_db: Database, _notes: readonly MediaNote[], _part: number): Promise<readonly Medium[]> {
    throw new Error('not yet')
  }
}

import type { Store } from '@callboard/store'

/**
 * `waiting`: in the queue, and nothing has left. `sending`: it may be on its way; found after its holder has given up, it is
 * `unknown`.
 */
export type WriteState = 'waiting' | 'sending' | 'done' | 'unknown'

// Types, not interfaces: Kysely asks for an index signature. Every time is UTC ms, every `json` is text.
export type ForumSchema = {
  /** When the next write to a forum may leave, for all replicas. */
  write_slots: {
    base: string
    next_at: number
  }
  /** Writes of the last minutes, so that a repeated call is known as one. No secret is in it. */
  write_journal: {
    /** SHA-256 (hex) of base, identity, tool, arguments and the caller's key. */
    key: string
    base: string
    tool: string
    state: WriteState
    /** The process that sends it. */
    holder: string
    /** When its holder gives up, at the latest. */
    ends_at: number
    /** When it left; of a `waiting` one, when it came. */
    sent_at: number
    /** Its output, of a `done` one. */
    output: string | null
  }
  /** Up to where an owner has seen what is new. */
  inbox_cursors: {
    base: string
    identity: string
    owner: string
    cursor: string
    updated_at: number
  }
}

export type Database = Store<ForumSchema>['db']

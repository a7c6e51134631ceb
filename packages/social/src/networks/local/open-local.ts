import type { Foundation } from '../../foundation.js'
import type { NetworkAdapter } from '../network-adapter.js'
import { LocalNetwork } from './local-network.js'
import { insertSamplePosts } from './sample-posts.js'

export interface LocalOptions {
  /** Of our account; an @ in front is taken off. */
  readonly handle: string
  readonly foundation: Pick<Foundation, 'store' | 'clock'>
}

/** The network that is there without any account elsewhere. A table that is empty gets the sample posts first. */
export async function openLocal({ handle, foundation: { store, clock } }: LocalOptions): Promise<NetworkAdapter> {
  await store.transaction((db) => insertSamplePosts(db, clock.now()))
  return new LocalNetwork({ handle: handle.replace(/^@/, ''), store, clock })
}

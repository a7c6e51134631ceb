import type { ItemStatus } from '../records/schema.js'

/** Everything that can happen to an item, and in which states it may. A state that is nowhere on the right is final. */
export const transitions = {
  edit: ['pending'],
  withdraw: ['pending'],
  reject: ['pending'],
  expire: ['pending'],
  approve: ['pending'],
  unschedule: ['approved', 'scheduled'],
  /** A publisher takes it. After `unknown`: the network was asked, and does not have it. */
  publish: ['approved', 'scheduled', 'publishing', 'unknown'],
  /** Back into the queue: it was not sent. */
  delay: ['publishing'],
  doubt: ['publishing'],
  post: ['publishing', 'unknown'],
  fail: ['publishing', 'unknown'],
  retry: ['failed'],
} as const satisfies { readonly [transition: string]: readonly ItemStatus[] }

export type Transition = keyof typeof transitions

export function mayHappen(transition: Transition, status: ItemStatus): boolean {
  return (transitions[transition] as readonly ItemStatus[]).includes(status)
}

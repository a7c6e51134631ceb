import type { Group } from '../groups/group.js'

/** Who a call is from, by the hub's word alone. */
export interface Actor {
  /** `agent:ada`, `operator:root`; the root of a nested call, never the worker in between. */
  readonly principal: string
  readonly group: Group
  /** Whether it may act for every group. */
  readonly isAdmin: boolean
  readonly isOperator: boolean
  readonly run?: { readonly id: string; readonly attempt: number }
  /** 0 outside of a run. */
  readonly triggerDepth: number
}

import type { Context } from '@callboard/worker'

/** Who calls, by the hub's word alone. */
export interface Actor {
  /** Whose the items are that this call makes: for a nested call the one that it is made for. */
  readonly owner: string
  readonly principal: string
  /** May decide, and sees everybody's items. */
  readonly isOperator: boolean
}

/** A call on somebody's behalf decides nothing, whatever roles it came with. */
export function actorOf({ principal, onBehalfOf, roles, run, depth }: Context['caller']): Actor {
  return {
    owner: onBehalfOf ?? principal,
    principal,
    isOperator: roles.includes('operator') && depth === 0 && onBehalfOf === undefined && run === undefined,
  }
}

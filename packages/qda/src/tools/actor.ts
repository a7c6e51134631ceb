import type { Context } from '@callboard/worker'

/** Who calls, by the hub's word alone. */
export interface Actor {
  /** Whose changes and suggestions it makes: the root principal of the call. */
  readonly name: string
  /** The name of that principal among a project's coders. Agents can't choose another one. */
  readonly coder: string
  /** May decide. A call on somebody's behalf decides nothing, whatever roles it came with. */
  readonly isOperator: boolean
}

export function actorOf({ principal, onBehalfOf, roles, run, depth }: Context['caller']): Actor {
  const name = onBehalfOf ?? principal
  return {
    name,
    coder: coderNameOf(name),
    isOperator: roles.includes('operator') && depth === 0 && onBehalfOf === undefined && run === undefined,
  }
}

/** `agent:main` → `AI Agent (main)`. */
export function coderNameOf(principal: string): string {
  const [, kind, name] = /^([^:]*):(.*)$/s.exec(principal) ?? []
  return kind === 'operator' ? `Operator (${name})` : `AI Agent (${name ?? principal})`
}

import { hostname } from 'node:os'
import { pid } from 'node:process'

/** Names this process among all that ever share the store: host, pid and start. */
export function thisInstance(): string {
  return JSON.stringify([hostname(), pid, Date.now()])
}

import type { ToolDefinition } from '@callboard/protocol'
import { isRecord } from '../json-rpc.js'

export type TaskSupport = 'forbidden' | 'optional' | 'required'

/** What its worker says of a tool; sign-in has checked it, and nothing said means forbidden. */
export function taskSupportOf({ execution }: ToolDefinition): TaskSupport {
  const support = isRecord(execution) ? execution['taskSupport'] : undefined
  return support === 'optional' || support === 'required' ? support : 'forbidden'
}

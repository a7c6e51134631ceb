import { randomUUID } from 'node:crypto'
import { hashOfJson } from '@callboard/worker/canonical-json'
import type { JsonRecord } from '../json/read-json.js'
import { journalMs, sameCallMs } from '../limits.js'
import type { ForumTool, ToolCall } from '../tools/forum-tool.js'
import type { JournalEntry } from './journal.js'

/** By what a repeated call is known: where, as whom, what, and the caller's own key. Secret arguments are no part of it. */
export function entryOf(
  tool: Extract<ForumTool, { kind: 'write' }>,
  input: JsonRecord,
  { selection, context }: ToolCall,
): JournalEntry {
  const { base, credential } = selection
  const own = keyArgument in tool.input.shape ? input[keyArgument] : undefined
  const callerKey = typeof own === 'string' ? own : keyOfCall(context)
  const left: readonly string[] = [...(typeof own === 'string' ? [keyArgument] : []), ...(tool.secrets ?? [])]
  const args = Object.fromEntries(Object.entries(input).filter(([name]) => !left.includes(name)))
  // Doing it again is what such a tool is for, unless the caller says that it is the same call.
  const isRepeatable = tool.marks.idempotentHint || tool.equalCallsAreDifferent === true
  const occasion = isRepeatable && callerKey === null ? randomUUID() : null
  return {
    key: hashOfJson([base, credential.id, tool.name, args, callerKey, occasion]),
    base,
    tool: tool.name,
    sameForMs: callerKey === null ? ownMemoryMs(tool) : journalMs,
  }
}

/** What somebody may have changed since is set again; where nobody knows whether it was set, it is looked for first. */
const ownMemoryMs = ({ setsValue }: Extract<ForumTool, { kind: 'write' }>) => (setsValue === true ? 0 : sameCallMs)

const keyArgument = 'idempotency_key'

/** The hub gives the id of the call where the agent gave no key. */
function keyOfCall({ idempotencyKey, callId }: ToolCall['context']): string | null {
  return idempotencyKey === callId ? null : idempotencyKey
}

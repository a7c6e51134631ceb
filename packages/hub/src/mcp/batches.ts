import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { fault, faultLine, invalidRequest, type LineFault, parseMessage } from './json-rpc.js'
import { batchMessagesMax } from './limits.js'

interface Batch {
  readonly due: Set<RequestId>
  readonly lines: string[]
}

export interface OpenedBatch {
  /** To be handled like any others. */
  readonly messages: readonly JSONRPCMessage[]
  /** What is to be written already now: the answer to a batch that is due no other. */
  readonly line?: string
}

/** Gathers the answers to a batch array, which go out together as one array (MCP 2025-03-26 only). */
export class Batches {
  readonly #byId = new Map<RequestId, Batch>()

  has(id: RequestId): boolean {
    return this.#byId.has(id)
  }

  open(entries: readonly unknown[]): OpenedBatch | LineFault {
    if (entries.length === 0 || entries.length > batchMessagesMax) {
      return fault(invalidRequest, `Invalid request: a batch holds 1 to ${batchMessagesMax} messages`)
    }
    const batch: Batch = { due: new Set(), lines: [] }
    const messages: JSONRPCMessage[] = []
    for (const entry of entries) {
      const parsed = this.#claim(parseMessage(entry), batch)
      if (parsed.kind === 'fault') batch.lines.push(faultLine(parsed))
      else messages.push(parsed.message)
    }
    const line = asLine(batch)
    return { messages, ...(line !== undefined && { line }) }
  }

  /** Takes the answer to a request of a batch, or notes that none will come; returns the line to write once all are there. */
  settle(id: RequestId, line?: string): string | undefined {
    const batch = this.#byId.get(id)
    if (batch === undefined) return undefined
    this.#byId.delete(id)
    batch.due.delete(id)
    if (line !== undefined) batch.lines.push(line)
    return asLine(batch)
  }

  /** Notes that the batch waits for the answer to a request of it. */
  #claim(parsed: ReturnType<typeof parseMessage>, batch: Batch): ReturnType<typeof parseMessage> {
    if (parsed.kind === 'fault' || !('method' in parsed.message && 'id' in parsed.message)) return parsed
    const { id } = parsed.message
    if (this.has(id)) return fault(invalidRequest, 'Invalid request: the id is in use', id)
    this.#byId.set(id, batch)
    batch.due.add(id)
    return parsed
  }
}

function asLine(batch: Batch): string | undefined {
  return batch.due.size > 0 || batch.lines.length === 0 ? undefined : `[${batch.lines.join(',')}]`
}

import type { IncomingMessage } from 'node:http'
import { jsonOnlyHeader } from '../mcp/client-descriptor.js'

export const eventStream = 'text/event-stream'

/** Of whoever takes either form of answer; the SDK asks for it. */
const bothForms = `application/json, ${eventStream}`

/** How the sender of a POST wants its answer: as a stream where there is something to stream, or as JSON in any case. */
export type AnswerForm = 'stream' | 'json'

/**
 * Simple clients send no Accept, or `*` + `/*`, and expect JSON; the SDK refuses them, so we say what they mean.
 * Undefined when a request accepts neither.
 */
export function settleAccept(request: IncomingMessage): AnswerForm | undefined {
  const accept = request.headers.accept ?? '*/*'
  if (accept === bothForms) return 'stream'
  const streams = accept.includes(eventStream)
  const takesJson = /\*\/\*|application\/(\*|json)/.test(accept)
  if (!streams && !takesJson) return undefined
  if (takesJson) request.headers.accept = bothForms
  return streams ? 'stream' : 'json'
}

/** Of a request whose Accept is settled. */
export function acceptsJson({ headers }: IncomingMessage): boolean {
  return headers.accept === bothForms
}

/** The sender gets JSON, and can be told and asked nothing before it. */
export function takeJsonOnly(request: IncomingMessage): void {
  request.headers[jsonOnlyHeader] = '1'
}

import type { IncomingMessage } from 'node:http'
import { jsonOnlyHeader } from '../mcp/client-descriptor.js'
import { isRecord } from '../mcp/json-rpc.js'

const eventStream = 'text/event-stream'

/** How the sender of a POST wants its answer: as a stream where there is something to stream, or as JSON in any case. */
export type AnswerForm = 'stream' | 'json' | 'none'

/** Simple clients send no Accept, or `*` + `/*`, and expect JSON; the SDK refuses them, so we say what they mean. */
export function settleAccept(request: IncomingMessage): AnswerForm {
  const accept = request.headers.accept ?? '*/*'
  const streams = accept.includes(eventStream)
  const takesJson = /\*\/\*|application\/(\*|json)/.test(accept)
  if (!streams && !takesJson) return 'none'
  if (takesJson) request.headers.accept = `application/json, ${eventStream}`
  if (streams) return 'stream'
  request.headers[jsonOnlyHeader] = '1'
  return 'json'
}

/** The answer in a stream, by itself: notifications before it are for those who read streams. */
export async function collapsed(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.includes(eventStream) !== true) return response
  const answers = messagesOf(await response.text()).filter((message) => 'result' in message || 'error' in message)
  const headers = new Headers(response.headers)
  for (const name of ['content-type', 'cache-control', 'connection', 'x-accel-buffering']) headers.delete(name)
  if (answers.length === 0) {
    const error = { code: -32603, message: 'The connection was closed before there was an answer' }
    return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 503, headers })
  }
  return Response.json(answers.length === 1 ? answers[0] : answers, { status: response.status, headers })
}

function messagesOf(stream: string): Record<string, unknown>[] {
  const data = stream.split('\n').filter((line) => line.startsWith('data: '))
  return data.map((line) => JSON.parse(line.slice('data: '.length)) as unknown).filter(isRecord)
}

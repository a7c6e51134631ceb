import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

export interface Answer {
  readonly result?: { readonly [key: string]: unknown }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** An agent that says its params as bytes, so that a test decides about every one of them. */
export interface RawAgent {
  /** `params` is JSON without its outer braces; the text is the answer as it came, the status that of HTTP. */
  ask(
    method: string,
    name: string,
    params: string | Buffer,
  ): Promise<{ readonly text: string; readonly answer: Answer; readonly status?: number }>
  /** A whole message. */
  say(message: string | Buffer): Promise<Answer>
  close(): void
}

const initialize = '"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}'
const modernMeta = JSON.stringify({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
})

function message(id: number, method: string, params: string | Buffer, modern: boolean): Buffer {
  const meta = modern ? `"_meta":${modernMeta},` : ''
  return Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${meta}`),
    Buffer.from(params),
    Buffer.from('}}'),
  ])
}

export async function lineAgent(path: string, modern: boolean): Promise<RawAgent> {
  const socket: Socket = connect(path)
  /** By the id of the message; what can't be read is answered under none. */
  const waiting = new Map<unknown, (text: string) => void>()
  createInterface({ input: socket }).on('line', (line) => {
    const { id = null, method } = JSON.parse(line)
    if (method === undefined) waiting.get(id)?.(line)
  })
  const send = (id: number | null, bytes: Buffer) =>
    new Promise<string>((resolve) => {
      waiting.set(id, resolve)
      socket.write(Buffer.concat([bytes, Buffer.from('\n')]))
    })
  await send(null, Buffer.from(JSON.stringify({ callboard: 1, attach: { key: randomUUID() } })))
  let serial = 0
  const ask: RawAgent['ask'] = async (method, _name, params) => {
    const id = ++serial
    const answered = send(id, message(id, method, params, modern))
    // A line that is refused before its id was read.
    waiting.set(null, waiting.get(id)!)
    const text = await answered
    return { text, answer: JSON.parse(text) }
  }
  if (!modern) await ask('initialize', '', initialize)
  return { ask, say: async (bytes) => JSON.parse(await send(null, Buffer.from(bytes))), close: () => socket.destroy() }
}

export async function httpAgent(url: string, modern: boolean): Promise<RawAgent> {
  let serial = 0
  let session: string | null = null
  const post = async (body: Buffer, method: string, name: string) => {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modern ? '2026-07-28' : '2025-11-25',
      ...(modern ? { 'mcp-method': method, 'mcp-name': name } : {}),
      ...(session === null ? {} : { 'mcp-session-id': session }),
    }
    const response = await fetch(url, { method: 'POST', headers, body })
    session = response.headers.get('mcp-session-id') ?? session
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('event-stream')
      ? text
          .split('\n')
          .findLast((line) => line.startsWith('data: {'))!
          .slice('data: '.length)
      : text
    return { text: json, answer: JSON.parse(json), status: response.status }
  }
  const ask: RawAgent['ask'] = (method, name, params) => post(message(++serial, method, params, modern), method, name)
  if (!modern) await ask('initialize', '', initialize)
  return {
    ask,
    say: async (bytes) => (await post(Buffer.from(bytes), 'tools/list', '')).answer,
    close: () => undefined,
  }
}

import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { onTestFinished } from 'vitest'
import { type HttpFront, type HttpOptions, listenHttp } from '../../src/http/http-server.js'
import type { Identity } from '../../src/port.js'
import { FakeHub, frontOf, type Loose } from '../mcp/fake-hub.js'

export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

const anonymous: Identity = { session: 'http', principal: 'agent:http', roles: ['agent'] }

const authenticate: HttpOptions['authenticate'] = ({ token, session }) => {
  const name = session === undefined ? 'http' : `${session.kind}:${session.name}`
  if (token === undefined) return { ...anonymous, session: name }
  if (!token.startsWith('good')) return { status: 401, error: { code: 'unauthorized', message: 'no' } }
  return { ...anonymous, principal: `agent:${token}`, session: name }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly json: Loose
}

/** A listening HTTP front over a hub of functions, and a client without manners of its own. */
export class TestFront {
  readonly hub: FakeHub
  readonly front: HttpFront

  private constructor(hub: FakeHub, front: HttpFront) {
    this.hub = hub
    this.front = front
  }

  static async listen(options: Partial<HttpOptions> = {}): Promise<TestFront> {
    const hub = new FakeHub()
    const addresses = [{ host: '127.0.0.1', port: 0 }]
    const front = await listenHttp(frontOf(hub), { addresses, authenticate, ...options })
    onTestFinished(() => front.close())
    return new TestFront(hub, front)
  }

  get port(): number {
    return this.front.addresses[0]!.port
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.port}/mcp`)
  }

  /** Begins a request; what `fetch` would add or forbid is left to the test. */
  open(method: string, path: string, headers: RequestOptions['headers'] = {}, body?: string | Buffer) {
    const sent = this.begin(method, path, headers)
    sent.end(body)
    return sent
  }

  /** The head of a request, or not even that where it expects to be asked for more. */
  begin(method: string, path: string, headers: RequestOptions['headers'] = {}) {
    const sent = httpRequest({ host: '127.0.0.1', port: this.port, method, path, headers, agent: false })
    sent.on('error', () => {})
    return sent
  }

  async send(
    method: string,
    path: string,
    headers: RequestOptions['headers'] = {},
    body?: string | Buffer,
  ): Promise<Answer> {
    const [response] = (await once(this.open(method, path, headers, body), 'response')) as [IncomingMessage]
    return read(response)
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.send('POST', path, { 'content-type': 'application/json', ...headers }, text)
  }

  /** Of the legacy generation; the answer to `initialize` names the session. */
  async session(version = '2025-11-25', headers: Record<string, string> = {}): Promise<Record<string, string>> {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'p', version: '1' } }
    const initialized = await this.post('/mcp', { jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers)
    const session = {
      'mcp-session-id': String(initialized.headers['mcp-session-id']),
      'mcp-protocol-version': version,
      ...headers,
    }
    await this.post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
    return session
  }

  /** A POST, or with no body a GET, whose answer is read event by event. */
  async stream(headers: Record<string, string>, body?: unknown): Promise<EventReader> {
    const all = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers }
    const sent = this.open(body === undefined ? 'GET' : 'POST', '/mcp', all, JSON.stringify(body))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return new EventReader(response)
  }
}

export async function read(response: IncomingMessage): Promise<Answer> {
  let text = ''
  for await (const chunk of response) text += chunk
  const { statusCode: status = 0, headers } = response
  return {
    status,
    headers,
    text,
    get json() {
      return JSON.parse(text)
    },
  }
}

export interface StreamEvent {
  readonly id?: string
  readonly comment?: string
  readonly retry?: string
  readonly data?: Loose
}

/** Server-sent events, one by one. */
export class EventReader {
  readonly response: IncomingMessage
  readonly #events: AsyncGenerator<StreamEvent>

  constructor(response: IncomingMessage) {
    this.response = response
    this.#events = eventsOf(response)
  }

  /** Undefined: the stream has ended. */
  async next(): Promise<StreamEvent | undefined> {
    const { done, value } = await this.#events.next()
    return done === true ? undefined : value
  }

  /** The next message; comments and empty events are skipped. */
  async message(): Promise<Loose> {
    for (;;) {
      const event = await this.next()
      if (event === undefined || event.data !== undefined) return event?.data
    }
  }

  cut(): void {
    this.response.destroy()
  }
}

async function* eventsOf(response: IncomingMessage): AsyncGenerator<StreamEvent> {
  let text = ''
  try {
    for await (const chunk of response) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        yield eventIn(text.slice(0, end))
        text = text.slice(end + 2)
      }
    }
  } catch {
    // Cut: there are no more.
  }
}

function eventIn(block: string): StreamEvent {
  const fields = block.split('\n').map((line) => /^([a-z]*): ?(.*)$/.exec(line) ?? [])
  const fieldOf = (name: string) => fields.find(([, field]) => field === name)?.[2]
  const [comment, id, retry, data] = ['', 'id', 'retry', 'data'].map(fieldOf)
  return {
    ...(comment !== undefined && { comment }),
    ...(id !== undefined && { id }),
    ...(retry !== undefined && { retry }),
    ...(data !== undefined && data !== '' && { data: JSON.parse(data) }),
  }
}

import { Agent, request } from 'node:http'
import { RawAgent, type RawAnswer, type RawMessage } from '@callboard/testkit'

/** A way to the hub. Rejects when the way ends before the answer. */
export interface Caller {
  call(name: string, args: { readonly [key: string]: unknown }, stray: () => void): Promise<RawAnswer>
  close(): void
}

/** One connection on `mcp.sock`. */
export class SocketCaller implements Caller {
  readonly #agent: RawAgent
  readonly #strays: Map<unknown, () => void>

  private constructor(agent: RawAgent, strays: Map<unknown, () => void>) {
    this.#agent = agent
    this.#strays = strays
  }

  static async open(path: string, era: 'legacy' | 'modern'): Promise<SocketCaller> {
    const strays = new Map<unknown, () => void>()
    const onMessage = ({ id, method }: RawMessage) => method === undefined && strays.get(id)?.()
    return new SocketCaller(await RawAgent.attach(path, { era, onMessage }), strays)
  }

  call(name: string, args: { readonly [key: string]: unknown }, stray: () => void): Promise<RawAnswer> {
    const { id, answer } = this.#agent.begin('tools/call', { name, arguments: args })
    this.#strays.set(id, stray)
    return answer
  }

  close(): void {
    this.#agent.close()
  }
}

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'chaos', version: '1' },
}

/** A modern client without a session; connections are kept open between requests. */
export class HttpCaller implements Caller {
  readonly #url: URL
  readonly #agent = new Agent({ keepAlive: true })
  #serial = 0

  constructor(url: string) {
    this.#url = new URL(url)
  }

  call(name: string, args: { readonly [key: string]: unknown }): Promise<RawAnswer> {
    const params = { name, arguments: args, _meta: modernMeta }
    return this.#post(name, JSON.stringify({ jsonrpc: '2.0', id: ++this.#serial, method: 'tools/call', params }))
  }

  close(): void {
    this.#agent.destroy()
  }

  #post(name: string, body: string): Promise<RawAnswer> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    }
    return new Promise((resolve, reject) => {
      const asked = request(this.#url, { method: 'POST', headers, agent: this.#agent }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.once('end', () => resolve(answerIn(text)))
        response.once('error', reject)
      })
      asked.once('error', reject)
      asked.end(body)
    })
  }
}

/** A JSON text, or an event stream whose last data is the answer. */
function answerIn(text: string): RawAnswer {
  const data = text.startsWith('{') ? text : [...text.matchAll(/^data: ?(\{.*)$/gm)].at(-1)?.[1]
  return JSON.parse(data ?? `{"error":{"code":0,"message":${JSON.stringify(text.slice(0, 80))}}}`)
}

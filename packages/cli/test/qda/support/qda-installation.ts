import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { connectAgent, httpTransport, type TestAgent } from '../../../../hub/test/mcp/agents.js'
import { stdioTransport } from '../../interop/ways.js'
import { Installation, untilSaid } from '../../support/installation.js'

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is read freely here
export type Loose = any

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Loose
}

export interface Request {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

const json = { 'content-type': 'application/json' }

/** An installation for the qda worker, with a hub that also listens for HTTP; whoever comes without a token reaches qda alone. */
export class QdaInstallation extends Installation {
  #port = ''

  constructor(section: object = {}, atEnd?: (clean: () => Promise<void>) => void) {
    super({ CALLBOARD_WORKERS: 'qda', CALLBOARD_HTTP: '127.0.0.1:0' }, atEnd)
    mkdirSync(this.data, { recursive: true, mode: 0o700 })
    writeFileSync(join(this.data, 'callboard.config.json'), JSON.stringify({ qda: section }), { mode: 0o600 })
  }

  async start(): Promise<ChildProcess> {
    await this.hub()
    this.#port = (await this.httpUrl()).port
    return this.qda()
  }

  get port(): string {
    return this.#port
  }

  /** `callboard worker qda`, signed in. */
  async qda(): Promise<ChildProcess> {
    const child = this.spawn(['worker', 'qda'])
    child.stdout.resume()
    await untilSaid(child, child.stderr, /signed in/)
    return child
  }

  send(method: string, path: string, { headers = {}, body }: Request = {}): Promise<Reply> {
    const asked = request({ host: '127.0.0.1', port: this.#port, method, path, headers, agent: false })
    return new Promise((resolve, reject) => {
      asked.once('error', reject)
      asked.once('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        // Who refuses a body early may cut the connection once the answer is out.
        response.once('close', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: response.statusCode!, headers: response.headers, text, body: jsonIn(text) })
        })
      })
      asked.end(body)
    })
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.send('POST', path, { body: JSON.stringify(body), headers: { ...json, ...headers } })
  }

  /** What a tool answers, of a caller without a token unless there is one. */
  async call(tool: string, args: object = {}, token?: string): Promise<Loose> {
    const { status, body } = await this.post(
      `/tools/${tool}`,
      { arguments: args },
      token === undefined ? {} : { authorization: `Bearer ${token}` },
    )
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }

  async ask(tool: string, args: object = {}, token?: string): Promise<Loose> {
    const answer = await this.call(tool, args, token)
    expect(answer.success, JSON.stringify(answer)).toBe(true)
    return answer
  }

  /** A command for a shell, as the contract has it, but to the port of this installation. */
  async shell(command: string): Promise<Loose> {
    const own = command.replaceAll('localhost:8765', `localhost:${this.#port}`).replace('curl ', 'curl -s ')
    return JSON.parse((await promisify(execFile)('/bin/sh', ['-c', own])).stdout)
  }

  async tokenOf(name: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(['token', 'new', name, '--group', 'main'])
    if (code !== 0) throw new Error(stderr)
    return stdout.trim()
  }

  async agent(era: 'legacy' | 'modern', token: string): Promise<TestAgent> {
    if (era === 'legacy') {
      const environment = { ...this.environment, CALLBOARD_TOKEN: token }
      return connectAgent('sdk 1', stdioTransport('sdk 1', ['stdio'], { environment }))
    }
    const authorization = `Bearer ${token}`
    return connectAgent('sdk 2 modern', httpTransport('sdk 2 modern', await this.httpUrl(), { authorization }))
  }
}

/** As by `kill -9`; resolves when it is gone. */
export async function killHard(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

function jsonIn(text: string): Loose {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

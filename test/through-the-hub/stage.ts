import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubLog, parseHubConfig, type RunningHub, startHub } from '@callboard/hub'
import type { RunningWorker, Worker } from '@callboard/worker'
import {
  type AgentKind,
  connectAgent,
  httpTransport,
  lineTransport,
  type TestAgent,
} from '../../packages/hub/test/mcp/agents.js'

export { type AgentKind, agentKinds, type TestAgent } from '../../packages/hub/test/mcp/agents.js'

export const ways = ['mcp.sock', 'HTTP'] as const
export type Way = (typeof ways)[number]

/** A hub with workers on the real SDK and real sockets, and agents with the clients of both generations. */
export class Stage implements AsyncDisposable {
  readonly #directory: string
  readonly #hub: RunningHub
  readonly #workers: readonly RunningWorker[]
  readonly #agents: TestAgent[] = []
  readonly #sockets: Socket[] = []

  private constructor(directory: string, hub: RunningHub, workers: readonly RunningWorker[]) {
    this.#directory = directory
    this.#hub = hub
    this.#workers = workers
  }

  static async with(...workers: readonly Worker[]): Promise<Stage> {
    const directory = await mkdtemp(join(tmpdir(), 'callboard-'))
    const environment = {
      CALLBOARD_RUNTIME: join(directory, 'run'),
      CALLBOARD_DATA: join(directory, 'data'),
      CALLBOARD_HTTP: '127.0.0.1:0',
      CALLBOARD_HTTP_OPEN: '*',
    }
    const config = parseHubConfig({ environment })
    const log = createHubLog('silent', process.stderr)
    const hub = await startHub({ config, version: '1.2.3', log, expects: [] })
    const run = { endpoint: hub.workerEndpoint, logLevel: 'silent' }
    const running = await Promise.all(workers.map((worker) => worker.start(run)))
    return new Stage(directory, hub, running)
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.#hub.httpAddresses[0]!.port}/mcp`)
  }

  /** `capabilities`: by default all that a client may have. */
  async agent(kind: AgentKind, way: Way = 'mcp.sock', capabilities?: object): Promise<TestAgent> {
    const transport = way === 'HTTP' ? httpTransport(kind, this.url) : await this.#line()
    const agent = await connectAgent(kind, transport, capabilities)
    this.#agents.push(agent)
    return agent
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.close()))
    for (const socket of this.#sockets) socket.destroy()
    // The hub first: a worker by itself waits long for those who still owe it the answer to a question.
    await this.#hub.stop()
    await Promise.all(this.#workers.map((worker) => worker.stop()))
    await rm(this.#directory, { recursive: true })
  }

  async #line() {
    const socket = connect(this.#hub.mcpSocketPath)
    this.#sockets.push(socket)
    socket.write('{"callboard":1,"attach":{"key":"k"}}\n')
    // Byte by byte, so that nothing of what follows is lost.
    for (let answer = ''; !answer.endsWith('\n'); ) {
      const byte = socket.read(1)
      if (byte === null) await once(socket, 'readable')
      else answer += byte
    }
    return lineTransport(socket, socket)
  }
}

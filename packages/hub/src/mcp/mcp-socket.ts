import { chmod, unlink } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Identity } from '../port.js'
import { type Attach, type ControlCommand, parseFirstLine } from './attach.js'
import * as limits from './limits.js'
import { LineBudget } from './line-budget.js'
import { LineTurns } from './line-turns.js'
import { type LineConnection, serveLines } from './mcp-lines.js'
import type { McpFront } from './mcp-server.js'

export interface Refusal {
  readonly error: { readonly code: string; readonly message: string }
}

export interface McpSocketOptions {
  /** Where to listen; whoever calls holds the lock of the runtime directory. */
  readonly path: string
  authenticate(attach: Attach): Identity | Refusal | Promise<Identity | Refusal>
  /** Answers a command of the CLI; what it throws is logged and hidden. Absent: there are no commands. */
  control?(command: ControlCommand): Promise<object | Refusal>
  readonly connectionsMax?: number
  readonly attachTimeoutMs?: number
  readonly unfinishedBytesMax?: number
}

export interface McpSocket {
  readonly path: string
  readonly connections: number
  /** Ends every connection, after what was written on it is out. */
  close(): Promise<void>
}

/** The path is taken by a hub that answers. */
export class SocketInUseError extends Error {
  readonly code = 'socket_in_use'
}

/** @throws SocketInUseError, or what the system says against the path. */
export async function listenMcpSocket(front: McpFront, options: McpSocketOptions): Promise<McpSocket> {
  const agents = new SocketAgents(front, options)
  // Half-open, so that a client that has said all it wants still gets its answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => agents.accept(socket))
  await listenAt(server, options.path)
  await chmod(options.path, 0o600)
  server.on('error', (error) => front.log.error({ err: error }, 'the MCP socket failed'))
  return {
    path: options.path,
    get connections() {
      return agents.size
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await agents.close()
      await closed
    },
  }
}

/** Else whoever is cut off would take the hub for gone, and come back with the same token. */
const tokenEnded = {
  code: 'unauthorized',
  message: 'The token of this connection has ended: get a new one into CALLBOARD_TOKEN, and start this client again.',
}

class SocketAgents {
  readonly #front: McpFront
  readonly #options: McpSocketOptions
  readonly #sockets = new Set<Socket>()
  readonly #lines = new Set<LineConnection>()
  readonly #lineBudget: LineBudget
  readonly #turns = new LineTurns()
  #closed = false

  constructor(front: McpFront, options: McpSocketOptions) {
    this.#front = front
    this.#options = options
    this.#lineBudget = new LineBudget(options.unfinishedBytesMax ?? limits.unfinishedBytesMax)
  }

  get size(): number {
    return this.#sockets.size
  }

  accept(socket: Socket): void {
    socket.on('error', (error) => this.#front.log.debug({ err: error }, 'an MCP socket failed'))
    const max = this.#options.connectionsMax ?? limits.socketConnectionsMax
    if (this.#closed || this.#sockets.size >= max) {
      refuse(socket, 'too_many_connections', `the hub serves at most ${max} connections`)
      return
    }
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    this.#greet(socket).catch((error: unknown) => {
      this.#front.log.error({ err: error }, 'a connection failed inside the hub')
      refuse(socket, 'internal', 'internal error')
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#lines].map((lines) => lines.close()))
    for (const socket of this.#sockets) socket.destroy()
  }

  async #greet(socket: Socket): Promise<void> {
    const line = await firstLineOf(socket, this.#options.attachTimeoutMs ?? limits.attachTimeoutMs)
    if (line === undefined || this.#closed) return
    if (typeof line === 'string') return refuse(socket, 'bad_attach', line)
    const first = parseFirstLine(line)
    switch (first.kind) {
      case 'attach':
        return this.#attach(socket, first.attach)
      case 'control':
        return this.#command(socket, first.control)
      case 'invalid':
        return refuse(socket, 'bad_attach', first.message)
      default:
        return first satisfies never
    }
  }

  async #attach(socket: Socket, attach: Attach): Promise<void> {
    const identity = await this.#options.authenticate(attach)
    if ('error' in identity) return refuse(socket, identity.error.code, identity.error.message)
    if (this.#closed || socket.destroyed) return
    const { principal, roles, group } = identity
    socket.write(reply({ attached: { principal, roles, ...(group !== undefined && { group }), ...this.#front.info } }))
    const lines = serveLines(this.#front, identity, {
      input: socket,
      output: socket,
      lineBudget: this.#lineBudget,
      turns: this.#turns,
      farewell: JSON.stringify({ callboard: 1, error: tokenEnded }),
    })
    this.#lines.add(lines)
    this.#front.log.info({ principal }, 'an agent attached')
    await lines.closed
    this.#lines.delete(lines)
    this.#front.log.info({ principal }, 'an agent left')
  }

  async #command(socket: Socket, command: ControlCommand): Promise<void> {
    if (this.#options.control === undefined) return refuse(socket, 'unknown_command', 'this hub takes no commands')
    const result = await this.#options.control(command)
    finish(socket, 'error' in result ? result : { result })
  }
}

/**
 * Reads up to the first line end and puts back what follows. Returns the line, a text that says what is wrong with it, or
 * undefined when the peer has left.
 */
function firstLineOf(socket: Socket, timeoutMs: number): Promise<Buffer | string | undefined> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0)
    const finish = (line: Buffer | string | undefined) => {
      clearTimeout(timer)
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).pause()
      resolve(line)
    }
    const onData = (chunk: Buffer) => {
      read = Buffer.concat([read, chunk])
      const end = read.indexOf(0x0a)
      if ((end === -1 ? read.length : end) > limits.attachBytesMax) return finish('the first line is too long')
      if (end === -1) return
      const rest = read.subarray(end + 1)
      finish(read.subarray(0, end))
      if (rest.length > 0) socket.unshift(rest)
    }
    const onEnd = () => {
      finish(undefined)
      socket.destroy()
    }
    const timer = setTimeout(() => finish('the first line took too long'), timeoutMs)
    socket.on('data', onData).on('end', onEnd).on('close', onEnd)
  })
}

function refuse(socket: Socket, code: string, message: string): void {
  finish(socket, { error: { code, message } })
}

function finish(socket: Socket, content: object): void {
  if (!socket.destroyed) socket.end(reply(content), () => socket.destroy())
}

function reply(content: object): string {
  return `${JSON.stringify({ callboard: 1, ...content })}\n`
}

/** A file that nobody answers at is left over from a hub that was killed. */
async function listenAt(server: Server, path: string): Promise<void> {
  try {
    await listenOnce(server, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    if (await isAnswered(path)) throw new SocketInUseError(`another hub listens at ${path}`)
    await unlink(path)
    await listenOnce(server, path)
  }
}

function listenOnce(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path)
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false))
    probe.once('connect', () => probe.destroy())
  })
}

import { connect, type Socket } from 'node:net'
import { escapeControls } from '../escape-controls.js'
import * as limits from '../limits.js'
import { CommandError } from '../usage-error.js'

/** How an agent introduces itself on `mcp.sock`; see packages/hub/src/mcp/attach.ts. */
export interface Introduction {
  readonly as?: string
  readonly token?: string
  /** Random, one per client process: a reconnection with the same key is the same session. */
  readonly key: string
  /** Patterns, with commas: only these tools are listed. */
  readonly tools?: string
  /** Tools are found by search. */
  readonly mode?: 'search'
}

/** The hub's answer to an introduction or a command; the message is for people. */
export class HubRefusal extends CommandError {
  readonly code: string

  constructor(code: string, message: string) {
    super(escapeControls(message))
    this.code = code
  }
}

/** Rejects with what the system says: ENOENT when no hub runs, ECONNREFUSED when one was killed. */
export function connectHub(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

/** Makes the connection an agent's. Afterwards the socket is paused and carries MCP. Rejects with a HubRefusal. */
export async function attach(socket: Socket, introduction: Introduction): Promise<void> {
  await converse(socket, { attach: introduction })
}

/** One command, one reply. Rejects with a HubRefusal, or with what the system says when no hub runs. */
export async function control(path: string, command: object): Promise<Record<string, unknown>> {
  const socket = await connectHub(path)
  try {
    const reply = await converse(socket, { control: command })
    return reply['result'] as Record<string, unknown>
  } finally {
    socket.destroy()
  }
}

export function isNobodyThere(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ECONNREFUSED'
}

async function converse(socket: Socket, content: object): Promise<Record<string, unknown>> {
  socket.write(`${JSON.stringify({ callboard: 1, ...content })}\n`)
  const reply = parse(await readReply(socket))
  const error = reply['error'] as { code?: unknown; message?: unknown } | undefined
  if (error !== undefined) throw new HubRefusal(String(error.code), String(error.message))
  return reply
}

function parse(line: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    if (typeof value === 'object' && value !== null && 'callboard' in value) return value as Record<string, unknown>
  } catch {
    // Said below.
  }
  throw new HubRefusal('no_hub', 'What listens at the hub’s socket does not speak as a hub does.')
}

/** Reads one line and puts back what follows it. */
function readReply(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const settle = (act: () => void) => {
      clearTimeout(timer)
      socket.off('data', onData).off('error', onError).off('close', onClose).pause()
      act()
    }
    const fail = (error: Error) =>
      settle(() => {
        socket.destroy()
        reject(error)
      })
    const onError = (error: Error) => fail(error)
    const onClose = () => fail(Object.assign(new Error('The hub hung up.'), { code: 'ECONNRESET' }))
    const onData = (chunk: Buffer) => {
      const end = chunk.indexOf(0x0a)
      chunks.push(end === -1 ? chunk : chunk.subarray(0, end))
      length += chunk.length
      if (end === -1) {
        if (length > limits.replyBytesMax) fail(new HubRefusal('no_hub', 'The hub’s reply is too long.'))
        return
      }
      settle(() => {
        const rest = chunk.subarray(end + 1)
        if (rest.length > 0) socket.unshift(rest)
        resolve(Buffer.concat(chunks))
      })
    }
    const timer = setTimeout(
      () => fail(Object.assign(new Error('The hub does not answer.'), { code: 'ETIMEDOUT' })),
      limits.attachWaitMs,
    )
    socket.on('data', onData).on('error', onError).on('close', onClose)
  })
}

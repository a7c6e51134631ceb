import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { escapeControls } from '../escape-controls.js'
import { attach, HubRefusal, type Introduction, isNobodyThere } from '../hub-link/hub-socket.js'
import * as limits from '../limits.js'
import { LineOutlet } from './line-outlet.js'
import { type Line, LineSplitter } from './line-splitter.js'
import { type Refusal, Relay } from './relay.js'

export interface ShimOptions {
  readonly input: Readable
  readonly output: Writable
  readonly introduction: Introduction
  /** Rejects with ENOENT or ECONNREFUSED when no hub is there. */
  readonly connect: () => Promise<Socket>
  /** Brings a hub up and connects to it. */
  readonly start: () => Promise<Socket>
  /** Whether the hub that was there may be started again by us. */
  readonly mayRestart: () => boolean
  /** The time limits, shorter in tests. */
  readonly queueWaitMs?: number
  readonly eofAnswersMs?: number
  readonly runTokenWaitMs?: number
}

/** Why the shim ended: `message` is for people, and present unless the client left. */
export interface ShimEnd {
  readonly code: 0 | 1 | 2
  readonly message?: string
}

/** Refusals that pass by themselves. */
const passing: ReadonlySet<string> = new Set(['too_many_connections', 'internal'])

/** Of tokens that workers have minted for what they run. */
const runTokenPrefix = 'cbr_'

/** Joins an MCP client's stdio to the hub's socket, and to the next hub's when that one ends. */
export class StdioShim {
  /** Resolves when the client has left or can't be served; all that is due has been written then. */
  readonly ended: Promise<ShimEnd>
  readonly #options: ShimOptions
  readonly #relay: Relay
  readonly #fromClient = new LineSplitter(limits.lineBytesMax)
  readonly #toClient: LineOutlet
  #socket: Socket | undefined
  #toHub: LineOutlet | undefined
  #wasAttached = false
  /** When a hub first did not know our token, on a clock that never goes back. */
  #unknownSince: number | undefined
  #isSpokenTo = false
  #heard: () => void = () => {}
  /** Resolves at the client's first bytes. */
  readonly #firstWords: Promise<void>
  #isEof = false
  #end: ShimEnd | undefined
  /** No hub will have this client: how to end when it has left. */
  #refusedEnd: ShimEnd | undefined
  #resolveEnded: (end: ShimEnd) => void = () => {}
  #waitTimer: NodeJS.Timeout | undefined
  #eofTimer: NodeJS.Timeout | undefined
  #wake: (() => void) | undefined

  constructor(options: ShimOptions) {
    this.#options = options
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve
    })
    this.#firstWords = new Promise((resolve) => {
      this.#heard = resolve
    })
    this.#toClient = new LineOutlet(options.output)
    this.#relay = new Relay({
      toClient: (line) => this.#toClient.write(line),
      toHub: (line) => this.#toHub?.write(line),
      giveUp: (reason) => this.finish({ code: 1, message: `This connection ends: ${reason}.` }),
      dismissed: (refusal) => this.#surrender(refusal),
    })
  }

  start(): void {
    const { input, output } = this.#options
    input.on('data', (chunk: Buffer) => {
      this.#isSpokenTo = true
      this.#heard()
      this.#read(this.#fromClient.push(chunk))
    })
    input.on('end', () => this.#clientSaidAll())
    input.on('error', () => this.finish({ code: 0 }))
    output.on('drain', () => this.#socket?.resume())
    // Nobody reads us any more: EPIPE.
    output.on('error', () => this.finish({ code: 0 }))
    void this.#reachHub()
  }

  /** Ends at once, but for handing over what was written. Idempotent. */
  finish(end: ShimEnd): void {
    if (this.#end !== undefined) return
    this.#end = end
    clearTimeout(this.#waitTimer)
    clearTimeout(this.#eofTimer)
    this.#wake?.()
    this.#options.input.pause()
    this.#toClient.flush()
    this.#toHub?.flush()
    const socket = this.#socket
    socket?.end()
    void Promise.all([flushed(this.#options.output), socket && flushed(socket)]).then(() => {
      socket?.destroy()
      this.#resolveEnded(end)
    })
  }

  #read(lines: Iterable<Line>): void {
    this.#gather(() => {
      for (const line of lines) if (this.#end === undefined) this.#relay.fromClient(line)
    })
    if (this.#relay.isAway && this.#relay.hasWaiting) this.#limitWaiting()
    if (this.#relay.isAway && this.#relay.hasWaitingRequests) this.#wake?.()
  }

  /** What one chunk brings about leaves together; then whoever brings more than the other side takes has to wait. */
  #gather(act: () => void): void {
    const toHub = this.#toHub
    this.#toClient.gather(() => (toHub === undefined ? act() : toHub.gather(act)))
    if (toHub?.isBehind === true) this.#options.input.pause()
    if (this.#toClient.isBehind) this.#socket?.pause()
  }

  #limitWaiting(): void {
    const waitMs = this.#options.queueWaitMs ?? limits.queueWaitMs
    this.#waitTimer ??= setTimeout(() => {
      this.#waitTimer = undefined
      this.#relay.failWaiting(`No hub has answered for ${waitMs / 1000} s: start one with "callboard up".`)
    }, waitMs)
  }

  /** Tries until there is a hub. Ends the shim if there can't be one. */
  async #reachHub(): Promise<void> {
    for (let attempt = 0; this.#end === undefined; attempt++) {
      try {
        await this.#attach(await this.#findHub())
        return
      } catch (error) {
        if (error instanceof HubRefusal && !passing.has(error.code) && !this.#mayBeRestored(error)) {
          return this.#surrender(error)
        }
        if (!this.#wasAttached && !(error instanceof HubRefusal) && !isTransient(error)) {
          return this.#surrender({ code: 'unavailable', message: (error as Error).message })
        }
        if (error instanceof StartFailure) this.#relay.failWaiting(error.message)
        await this.#pause(backOffMs(attempt, error))
      }
    }
  }

  /** A run's token is unknown to a hub that was restarted until the worker that minted it has signed in there. */
  #mayBeRestored({ code }: HubRefusal): boolean {
    const { introduction, runTokenWaitMs = limits.runTokenWaitMs } = this.#options
    if (code !== 'unauthorized' || introduction.token?.startsWith(runTokenPrefix) !== true) return false
    this.#unknownSince ??= performance.now()
    return performance.now() - this.#unknownSince < runTokenWaitMs
  }

  /** A client that never says a word needs no hub: none is started for it. */
  async #findHub(): Promise<Socket> {
    try {
      return await this.#options.connect()
    } catch (error) {
      if (!isNobodyThere(error) || !this.#shallStart(error)) throw error
    }
    if (!this.#isSpokenTo) {
      await this.#firstWords
      // Meanwhile somebody else may have started one.
      return this.#findHub()
    }
    try {
      return await this.#options.start()
    } catch (error) {
      throw new StartFailure((error as Error).message)
    }
  }

  /**
   * A hub that left its socket behind was killed, and its tasks want it back. One that tidied up was told to end: it comes
   * back when the client needs it.
   */
  #shallStart(error: unknown): boolean {
    if (!this.#wasAttached) return true
    if (!this.#options.mayRestart()) return false
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' || this.#relay.hasWaitingRequests
  }

  async #attach(socket: Socket): Promise<void> {
    socket.on('error', () => {})
    await attach(socket, this.#options.introduction).catch((error: unknown) => {
      socket.destroy()
      throw error
    })
    if (this.#end !== undefined || socket.destroyed) {
      socket.destroy()
      if (this.#end === undefined) throw Object.assign(new Error('The hub hung up.'), { code: 'ECONNRESET' })
      return
    }
    this.#wasAttached = true
    this.#unknownSince = undefined
    this.#socket = socket
    this.#toHub = new LineOutlet(socket)
    clearTimeout(this.#waitTimer)
    this.#waitTimer = undefined
    const splitter = new LineSplitter(limits.lineBytesMax)
    socket.on('data', (chunk: Buffer) => this.#readHub(splitter, chunk))
    socket.on('drain', () => this.#options.input.resume())
    socket.once('close', () => this.#lost(socket))
    socket.resume()
    this.#options.input.resume()
    this.#gather(() => this.#relay.hubAttached())
    if (this.#isEof) this.#awaitLastAnswers()
  }

  #readHub(splitter: LineSplitter, chunk: Buffer): void {
    this.#gather(() => {
      for (const line of splitter.push(chunk)) this.#relay.fromHub(line)
    })
    if (this.#isEof && !this.#relay.owesAnswers) this.finish({ code: 0 })
  }

  #lost(socket: Socket): void {
    if (this.#socket !== socket || this.#end !== undefined) return
    this.#socket = undefined
    this.#toHub = undefined
    if (this.#refusedEnd !== undefined) return
    this.#relay.hubLost()
    this.#options.input.resume()
    if (this.#relay.hasWaiting) this.#limitWaiting()
    if (this.#isEof && !this.#relay.owesAnswers) this.finish({ code: 0 })
    else void this.#reachHub()
  }

  #clientSaidAll(): void {
    this.#isEof = true
    this.#read(this.#fromClient.end())
    this.#awaitLastAnswers()
  }

  /** What waits for a hub still gets it, and its time; then answers have theirs. */
  #awaitLastAnswers(): void {
    if (this.#end !== undefined) return
    if (this.#refusedEnd !== undefined) return this.finish(this.#refusedEnd)
    if (!this.#relay.owesAnswers) return this.finish({ code: 0 })
    clearTimeout(this.#eofTimer)
    const waitMs = this.#socket === undefined ? limits.startWaitMs : (this.#options.eofAnswersMs ?? limits.eofAnswersMs)
    this.#eofTimer = setTimeout(() => this.finish({ code: 0 }), waitMs)
  }

  /** A client that was in once would take our end for a crash, and gets its answers until it leaves. */
  #surrender(refusal: Refusal): void {
    this.#relay.refuse(refusal)
    const end: ShimEnd = { code: 2, message: escapeControls(refusal.message) }
    if (!this.#wasAttached || this.#isEof) return this.finish(end)
    this.#refusedEnd = end
    clearTimeout(this.#waitTimer)
    this.#options.input.resume()
  }

  #pause(ms: number): Promise<void> {
    if (this.#end !== undefined) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), ms)
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
    })
  }
}

/** There is no hub, and why none could be started. */
class StartFailure extends Error {}

/** A start that failed costs more than a knock at the door, and seldom succeeds soon. */
function backOffMs(attempt: number, error: unknown): number {
  const [min, max] =
    error instanceof StartFailure
      ? [limits.restartMsMin, limits.restartMsMax]
      : [limits.reconnectMsMin, limits.reconnectMsMax]
  return Math.min(min * 2 ** Math.min(attempt, 16), max)
}

function isTransient(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ECONNRESET' || code === 'ETIMEDOUT' || code === 'EAGAIN' || isNobodyThere(error)
}

function flushed(stream: Writable): Promise<void> {
  if (stream.writableLength === 0 || stream.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limits.flushMs)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    stream.once('close', done)
    if (stream.writableEnded) stream.once('finish', done)
    else stream.write('', done)
  })
}

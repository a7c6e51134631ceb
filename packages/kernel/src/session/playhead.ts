import {
  changed,
  initialTransport,
  reanchored,
  type Spot,
  sameLoop,
  spotAt,
  type Transport,
  type TransportCommand,
} from './clock.js'

/** What a change of the clock means for all that counts on it. */
export interface Move {
  readonly before: Transport
  /** Where it was, on the line of before. */
  readonly here: Spot
  readonly loopChanged: boolean
  readonly jumped: boolean
}

/** The transport, and up to where everything on its line has had its turn. */
export class Playhead {
  #transport: Transport
  #cursor: Spot
  /** The cursor itself has not had its turn: after a start or a jump. */
  #closed: boolean
  #jumpDepth = 0
  #jumps = 0

  constructor(now: number, transport: Transport = initialTransport) {
    this.#transport = { ...transport, anchorMs: now }
    this.#cursor = { lap: 0, beat: transport.anchorBeat }
    // A paused one goes on where it was: what is at that beat has had its turn.
    this.#closed = transport.state === 'stopped'
  }

  get transport(): Transport {
    return this.#transport
  }

  get cursor(): Spot {
    return this.#cursor
  }

  get closed(): boolean {
    return this.#closed
  }

  /** How many firings have led to the last jump. */
  get jumpDepth(): number {
    return this.#jumpDepth
  }

  get jumps(): number {
    return this.#jumps
  }

  /** All up to now has had its turn. */
  pass(now: number): void {
    if (this.#transport.state !== 'playing') return
    this.#cursor = spotAt(this.#transport, now)
    this.#closed = false
  }

  /** Undefined if there was nothing to change. */
  change(command: TransportCommand, now: number, depth: number): Move | undefined {
    const change = changed(this.#transport, command, now)
    if (!change) return undefined
    const move = this.#follow(change.transport, now, change.jumped)
    if (change.jumped) {
      this.#jumps += 1
      this.#jumpDepth = depth
      this.#cursor = { lap: 0, beat: this.#transport.anchorBeat }
      this.#closed = true
    }
    return move
  }

  /** The same place under a new generation. */
  renew(now: number): Move {
    return this.#follow(reanchored(this.#transport, now), now, false)
  }

  #follow(after: Transport, now: number, jumped: boolean): Move {
    const before = this.#transport
    const here = spotAt(before, now)
    this.#transport = after
    this.#cursor = { lap: this.#cursor.lap - here.lap, beat: this.#cursor.beat }
    return { before, here, loopChanged: !sameLoop(before.loop, after.loop), jumped }
  }
}

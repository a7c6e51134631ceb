import fc from 'fast-check'
import { expect, it } from 'vitest'
import { instantOf, isAfter, spotAt, type TransportCommand } from '../src/session/clock.js'
import { Rehearsal } from './support/rehearsal.js'

/** One thirty-second of a second: with 60, 120 and 240 bpm and quarter beats all sums are exact. */
const grain = 1 / 32

const beat = fc.integer({ min: 0, max: 64 }).map((quarters) => quarters / 4)
const command: fc.Arbitrary<TransportCommand> = fc.oneof(
  fc.constant({ do: 'play' } as const),
  fc.constant({ do: 'play' } as const),
  beat.map((fromBeat) => ({ do: 'play', fromBeat }) as const),
  fc.constant({ do: 'pause' } as const),
  fc.constant({ do: 'stop' } as const),
  beat.map((to) => ({ do: 'seek', beat: to }) as const),
  fc.constantFrom(60, 120, 240).map((bpm) => ({ do: 'tempo', bpm }) as const),
  fc.constant({ do: 'loop', loop: null } as const),
  fc.tuple(beat, fc.integer({ min: 1, max: 16 })).map(([start, length]) => {
    return { do: 'loop', loop: { start, end: start + length / 4 } } as const
  }),
)
/** After so many grains, a command, a tick, or both clock and kernel as they should be. */
const act = fc.tuple(
  fc.integer({ min: 0, max: 40 }),
  fc.oneof(command, fc.constant('late tick' as const), fc.constant('on time' as const)),
)
const rule = fc.record({
  divisor: fc.integer({ min: 1, max: 12 }).map((quarters) => quarters / 4),
  offset: beat,
  inKernel: fc.boolean(),
})

/** Beat by beat, without a single formula of the engine: what must have fired. */
class SlowClock {
  readonly fired: number[] = []
  readonly #isTarget: (beat: number) => boolean
  #playing = false
  #stopped = true
  #bpm = 120
  #beat = 0
  #closed = true
  #loop: { readonly start: number; readonly end: number } | null = null

  constructor(isTarget: (beat: number) => boolean) {
    this.#isTarget = isTarget
  }

  grain(): void {
    if (!this.#playing) return
    const steps = this.#bpm / 60
    for (let step = 0; step < steps; step += 1) {
      this.#look()
      this.#beat += grain
      if (this.#loop && this.#beat === this.#loop.end) this.#jump(this.#loop.start)
    }
    this.#look()
  }

  obey(command: TransportCommand): void {
    switch (command.do) {
      case 'play':
        if (command.fromBeat !== undefined) this.#jump(command.fromBeat)
        else if (this.#stopped) this.#closed = true
        this.#playing = true
        this.#stopped = false
        break
      case 'pause':
        this.#playing = false
        break
      case 'stop':
        this.#playing = false
        if (!this.#stopped || this.#beat !== 0) this.#jump(0)
        this.#stopped = true
        break
      case 'seek':
        this.#jump(command.beat)
        break
      case 'tempo':
        this.#bpm = command.bpm
        break
      case 'loop':
        this.#loop = command.loop
        break
    }
    if (this.#playing) this.#look()
  }

  #jump(to: number): void {
    this.#beat = to
    this.#closed = true
  }

  /** Each grain is a beat's thirty-second, so no target lies between two looks. */
  #look(): void {
    if (this.#closed || this.#seen !== this.#beat) {
      if (this.#isTarget(this.#beat)) this.fired.push(this.#beat)
    }
    this.#closed = false
    this.#seen = this.#beat
  }
  #seen = Number.NaN
}

it('fires exactly what a slow computation does: no target twice, none lost, in order', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), fc.array(rule, { minLength: 1, maxLength: 3 }), (acts, rules) => {
      const piece = new Rehearsal()
      const slow = rules.map(({ divisor, offset, inKernel }, index) => {
        piece.rule(`${index}`, `beat:${divisor}+${offset}`, inKernel ? 'call:f' : 'emit:x')
        return new SlowClock((at) => at >= offset && (at - offset) % divisor === 0)
      })
      const pass = (grains: number) => {
        for (let count = 0; count < grains; count += 1) for (const clock of slow) clock.grain()
      }
      let late = 0
      for (const [grains, what] of [...acts, [40, 'on time'] as const]) {
        // A pass lets at most 32 targets of a rule by: a timer is not as late as that.
        const ahead = late + grains > 60 ? 0 : grains
        pass(ahead)
        const to = piece.now + ahead * grain
        if (what === 'late tick') piece.tickAt(to)
        else piece.runTo(to)
        late = what === 'late tick' ? late + ahead : 0
        if (typeof what === 'string') continue
        for (const clock of slow) clock.obey(what)
        piece.command(what)
      }
      for (const [index, clock] of slow.entries()) expect(piece.beats(`${index}`)).toEqual(clock.fired)
    }),
    { numRuns: 500 },
  )
})

const pace = fc.oneof(
  fc.double({ min: 1, max: 999, noNaN: true }).map((bpm) => ({ do: 'tempo', bpm }) as const),
  fc.constant({ do: 'pause' } as const),
  fc.constant({ do: 'play' } as const),
)

it('at any tempo every target of a rule fires once, and every deadline moves', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.double({ min: 0, max: 2, noNaN: true }), pace, fc.boolean()), { maxLength: 20 }),
      fc.double({ min: 0.25, max: 3, noNaN: true }),
      fc.double({ min: 0, max: 2, noNaN: true }),
      fc.constantFrom('call:f', 'emit:x'),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (acts, divisor, offset, action, leadS) => {
        const piece = new Rehearsal()
        piece.rule('a', `beat:${divisor}+${offset}`, action, { leadS })
        piece.play()
        for (const [seconds, what, onTime] of acts) {
          if (onTime) piece.runTo(piece.now + seconds)
          else piece.tickAt(piece.now + seconds)
          const next = piece.engine.nextDeadline()
          if (next !== undefined) {
            piece.tickAtMs(next)
            expect(piece.engine.nextDeadline()).not.toBe(next)
          }
          piece.command(what)
        }
        // What a pause took back comes now.
        piece.play()
        piece.runTo(piece.now)
        const { missedCount, suppressedCount } = piece.engine.rule('a')!
        fc.pre(missedCount === 0 && suppressedCount === 0)
        // What was taken back at a change of tempo may come just after what that change made due at once.
        const beats = piece.beats('a').map(Number)
        if (action === 'call:f') beats.sort((a, b) => a - b)
        expect(beats).toEqual(beats.map((_, index) => offset + index * divisor))
      },
    ),
    { numRuns: 500 },
  )
})

it('the beat never falls while playing, and the instant of a spot has reached it', () => {
  const real = (max: number) => fc.double({ min: 0, max, noNaN: true })
  fc.assert(
    fc.property(
      real(1000),
      real(1000),
      real(64),
      fc.double({ min: 0.25, max: 64, noNaN: true }),
      fc.double({ min: 1, max: 999, noNaN: true }),
      real(1e7),
      fc.array(real(1e6), { maxLength: 20 }),
      (anchorBeat, start, more, length, bpm, anchorMs, times) => {
        const transport = {
          state: 'playing' as const,
          anchorBeat,
          anchorMs,
          bpm,
          loop: { start, end: start + length },
          generation: 0,
          playedBeats: 0,
        }
        let last = spotAt(transport, anchorMs)
        for (const time of times.sort((a, b) => a - b)) {
          const here = spotAt(transport, anchorMs + time)
          expect(isAfter(last, here)).toBe(false)
          last = here
        }
        const ahead =
          anchorBeat < start + length ? { lap: 3, beat: start + length * 0.7 } : { lap: 0, beat: anchorBeat + more }
        expect(isAfter(ahead, spotAt(transport, instantOf(transport, ahead)))).toBe(false)
      },
    ),
    { numRuns: 1_000 },
  )
})

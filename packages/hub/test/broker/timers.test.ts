import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Timers } from '../../src/broker/timers.js'

/** What Timers does, in the plainest way. */
class PlainTimers {
  readonly #entries = new Map<string, { at: number; value: number }>()

  get nextAt(): number | undefined {
    const times = [...this.#entries.values()].map(({ at }) => at)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  get size(): number {
    return this.#entries.size
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  set(key: string, at: number, value: number): void {
    this.#entries.set(key, { at, value })
  }

  clear(key: string): void {
    this.#entries.delete(key)
  }

  /** Those of the earliest time: among them the order is nobody's promise. */
  earliest(): ReadonlyMap<number, string> {
    const earliest = [...this.#entries].filter(([, { at }]) => at === this.nextAt)
    return new Map(earliest.map(([key, { value }]) => [value, key]))
  }
}

type Act =
  | { readonly kind: 'set'; readonly key: string; readonly at: number }
  | { readonly kind: 'clear'; readonly key: string }
  | { readonly kind: 'take'; readonly now: number }

const key = fc.integer({ min: 0, max: 15 }).map((index) => `timer ${index}`)
const time = fc.integer({ min: 0, max: 30 })
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('set' as const), key, at: time }) },
  fc.record({ kind: fc.constant('clear' as const), key }),
  fc.record({ kind: fc.constant('take' as const), now: time }),
)

describe('Timers', () => {
  it('do what a plain map with a search would do', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const timers = new Timers<number>()
        const plain = new PlainTimers()
        for (const [serial, each] of acts.entries()) {
          switch (each.kind) {
            case 'set':
              timers.set(each.key, each.at, serial)
              plain.set(each.key, each.at, serial)
              break
            case 'clear':
              timers.clear(each.key)
              plain.clear(each.key)
              break
            case 'take': {
              const isDue = plain.nextAt !== undefined && plain.nextAt <= each.now
              const taken = timers.takeDue(each.now)
              expect(taken !== undefined).toBe(isDue)
              if (taken === undefined) break
              const owner = plain.earliest().get(taken)
              expect(owner).toBeDefined()
              plain.clear(owner!)
            }
          }
          expect([timers.nextAt, timers.size]).toEqual([plain.nextAt, plain.size])
        }
        for (let index = 0; index < 16; index++) expect(timers.has(`timer ${index}`)).toBe(plain.has(`timer ${index}`))
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it('fire in the order of their times', () => {
    const timers = new Timers<number>()
    for (const at of [5, 1, 4, 2, 3]) timers.set(`at ${at}`, at, at)
    const fired: number[] = []
    for (let at = timers.takeDue(9); at !== undefined; at = timers.takeDue(9)) fired.push(at)
    expect(fired).toEqual([1, 2, 3, 4, 5])
  })

  it('know one timer per key: setting again moves it', () => {
    const timers = new Timers<string>()
    timers.set('key', 5, 'first')
    timers.set('key', 9, 'second')
    expect([timers.size, timers.nextAt]).toEqual([1, 9])
    expect(timers.takeDue(8)).toBeUndefined()
    expect(timers.takeDue(9)).toBe('second')
    expect(timers.nextAt).toBeUndefined()
  })
})

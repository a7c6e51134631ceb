import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Timers } from '../../src/broker/timers.js'

/** What Timers does, in the plainest way. */
class PlainTimers {
  readonly #entries = new Map<string, number>()

  get nextAt(): number | undefined {
    const times = [...this.#entries.values()]
    return times.length === 0 ? undefined : Math.min(...times)
  }

  get size(): number {
    return this.#entries.size
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  set(name: string, at: number): void {
    this.#entries.set(name, at)
  }

  clear(name: string): void {
    this.#entries.delete(name)
  }

  /** Those of the earliest time: among them the order is nobody's promise. */
  earliest(): string[] {
    return [...this.#entries].filter(([, at]) => at === this.nextAt).map(([name]) => name)
  }
}

type Kind = 'one' | 'other'
type Act =
  | { readonly do: 'set'; readonly kind: Kind; readonly key: string; readonly at: number }
  | { readonly do: 'clear'; readonly kind: Kind; readonly key: string }
  | { readonly do: 'take'; readonly now: number }

const kinds = ['one', 'other'] as const
const keys = Array.from({ length: 8 }, (_, index) => `key ${index}`)
const of = { kind: fc.constantFrom(...kinds), key: fc.constantFrom(...keys) }
const time = fc.integer({ min: 0, max: 30 })
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('set' as const), ...of, at: time }) },
  fc.record({ do: fc.constant('clear' as const), ...of }),
  fc.record({ do: fc.constant('take' as const), now: time }),
)
const nameOf = (kind: Kind, key: string) => `${kind} ${key}`

describe('Timers', () => {
  it('do what a plain map with a search would do', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const timers = new Timers<Kind>()
        const plain = new PlainTimers()
        for (const each of acts) {
          switch (each.do) {
            case 'set':
              timers.set(each.kind, each.key, each.at)
              plain.set(nameOf(each.kind, each.key), each.at)
              break
            case 'clear':
              timers.clear(each.kind, each.key)
              plain.clear(nameOf(each.kind, each.key))
              break
            case 'take': {
              const isDue = plain.nextAt !== undefined && plain.nextAt <= each.now
              const taken = timers.takeDue(each.now)
              expect(taken !== undefined).toBe(isDue)
              if (taken === undefined) break
              const name = nameOf(taken.kind, taken.key)
              expect(plain.earliest()).toContain(name)
              plain.clear(name)
            }
          }
          expect([timers.nextAt, timers.size]).toEqual([plain.nextAt, plain.size])
        }
        for (const kind of kinds) {
          for (const key of keys) expect(timers.has(kind, key)).toBe(plain.has(nameOf(kind, key)))
        }
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it('fire in the order of their times', () => {
    const timers = new Timers<'at'>()
    for (const at of [5, 1, 4, 2, 3]) timers.set('at', `${at}`, at)
    const fired: string[] = []
    for (let due = timers.takeDue(9); due !== undefined; due = timers.takeDue(9)) fired.push(due.key)
    expect(fired).toEqual(['1', '2', '3', '4', '5'])
  })

  it('know one timer per kind and key: setting again moves it', () => {
    const timers = new Timers<Kind>()
    timers.set('one', 'key', 5)
    timers.set('one', 'key', 9)
    expect([timers.size, timers.nextAt]).toEqual([1, 9])
    expect(timers.takeDue(8)).toBeUndefined()
    expect(timers.takeDue(9)).toMatchObject({ kind: 'one', key: 'key' })
    expect(timers.nextAt).toBeUndefined()
  })
})

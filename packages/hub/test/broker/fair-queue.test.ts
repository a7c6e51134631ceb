import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairQueue } from '../../src/broker/fair-queue.js'

const any = () => true

/** A principal of its own for each. */
const lane = (name: string) => ({ principal: name, lane: name })

/** A queue of the items, each in the lane of its first letter. */
function queueOf(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const item of items) queue.push(lane(item[0]!), item)
  return queue
}

function drain(queue: FairQueue<string>, accept: (item: string) => boolean = any): string[] {
  const taken: string[] = []
  for (let item = queue.take(accept); item !== undefined; item = queue.take(accept)) taken.push(item)
  return taken
}

describe('a fair queue', () => {
  it('lets lanes take turns, each first-in first-out', () => {
    expect(drain(queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1'))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('puts a lane at the end of the line after its turn, even when it was empty in between', () => {
    const queue = queueOf('a1', 'b1', 'b2')
    expect(queue.take(any)).toBe('a1')
    queue.push(lane('a'), 'a2')
    expect(drain(queue)).toEqual(['b1', 'a2', 'b2'])
  })

  it('passes over lanes whose first item is not accepted, without their losing the turn', () => {
    const queue = queueOf('a1', 'a2', 'b1')
    expect(queue.take((item) => item !== 'a1')).toBe('b1')
    expect(queue.take(() => false)).toBeUndefined()
    expect(drain(queue)).toEqual(['a1', 'a2'])
  })

  it('takes back an item at the head of its lane', () => {
    const queue = queueOf('a1', 'a2')
    const first = queue.take(any)!
    queue.pushFirst(lane('a'), first)
    queue.pushFirst(lane('b'), 'b1')
    expect(drain(queue)).toEqual(['a1', 'b1', 'a2'])
  })

  it('lets principals take turns, however many lanes one of them has', () => {
    const queue = new FairQueue<string>()
    for (const name of ['a1', 'a2', 'a3']) queue.push({ principal: 'many', lane: name }, name)
    queue.push({ principal: 'many', lane: 'a1' }, 'a1 again')
    for (const name of ['b1', 'b2']) queue.push({ principal: 'one', lane: 'b' }, name)
    expect(drain(queue)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a1 again'])
    expect(queue.principalSize('many')).toBe(0)
  })

  it('never says that more is ahead of a newcomer than there is, and never less than comes before it', () => {
    const lanes = fc.array(fc.record({ principal: fc.constantFrom('p', 'q'), lane: fc.constantFrom('a', 'b') }), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(lanes, fc.constantFrom('p', 'q', 'r'), (others, principal) => {
        const queue = new FairQueue<string>()
        for (const each of others) queue.push(each, 'other')
        const mine = { principal, lane: 'mine' }
        const ahead = queue.ahead(mine)
        expect(ahead).toBeLessThanOrEqual(others.length)
        queue.push(mine, 'mine')
        expect(drain(queue).indexOf('mine')).toBeLessThanOrEqual(ahead)
      }),
      { seed: 1 },
    )
  })

  it('removes an item from anywhere', () => {
    const queue = queueOf('a1', 'a2', 'b1')
    expect(queue.remove(lane('a'), 'a1')).toBe(true)
    expect(queue.remove(lane('a'), 'a1')).toBe(false)
    expect(queue.remove(lane('z'), 'z1')).toBe(false)
    expect([...queue]).toEqual(['a2', 'b1'])
    expect([queue.size, queue.laneSize(lane('a')), queue.laneSize(lane('z'))]).toEqual([2, 1, 0])
  })

  it('serves every lane once before any lane twice, whatever is in it', () => {
    const lanes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(lanes, (lengths) => {
        const queue = new FairQueue<string>()
        for (const [name, length] of lengths.entries()) {
          for (let item = 0; item < length; item++) queue.push(lane(`${name}`), `${name}.${item}`)
        }
        const turns = drain(queue).map((item) => Number(item.split('.')[1]))
        expect(turns).toEqual(turns.toSorted((one, other) => one - other))
        expect(queue.size).toBe(0)
      }),
      { seed: 1 },
    )
  })
})

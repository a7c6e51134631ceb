import { expect, test } from 'vitest'
import { WaitingLine } from '../../src/patterns/waiting-line.js'

/** Who is inside, in the order in which they came in. */
function follow(line: WaitingLine) {
  const inside: string[] = []
  const enter = (name: string, signal?: AbortSignal) => line.enter(signal).then(() => void inside.push(name))
  return { inside, enter }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('those beyond the limit come in as others leave, in their order', async () => {
  const line = new WaitingLine(2)
  const { inside, enter } = follow(line)
  for (const name of ['a', 'b', 'c', 'd']) void enter(name)
  await settled()
  expect(inside).toEqual(['a', 'b'])
  line.leave()
  await settled()
  expect(inside).toEqual(['a', 'b', 'c'])
  line.leave()
  line.leave()
  line.leave()
  await settled()
  expect(inside).toEqual(['a', 'b', 'c', 'd'])
})

test('who gives up takes no place', async () => {
  const line = new WaitingLine(1)
  const { inside, enter } = follow(line)
  const abort = new AbortController()
  void enter('a')
  const gone = expect(enter('b', abort.signal)).rejects.toThrow('enough')
  void enter('c')
  abort.abort(new Error('enough'))
  await gone
  line.leave()
  await settled()
  expect(inside).toEqual(['a', 'c'])
  await expect(enter('d', abort.signal)).rejects.toThrow('enough')
})

test('all places are free again when all have left', async () => {
  const line = new WaitingLine(1)
  const { inside, enter } = follow(line)
  void enter('a')
  line.leave()
  void enter('b')
  void enter('c')
  await settled()
  expect(inside).toEqual(['a', 'b'])
})

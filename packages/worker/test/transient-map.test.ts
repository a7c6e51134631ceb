import { expect, test } from 'vitest'
import { mapDeletionsMax } from '../src/limits.js'
import { TransientMap } from '../src/transient-map.js'

test('keeps its entries and their order over all that came and went', () => {
  const map = new TransientMap<number, string>()
  for (const key of [-1, -2, -3]) map.set(key, `stays ${key}`)
  for (let key = 0; key < mapDeletionsMax * 2 + 1; key++) {
    map.set(key, 'goes')
    expect(map.delete(key)).toBe(true)
  }
  expect(map.delete(0)).toBe(false)
  expect([...map]).toEqual([
    [-1, 'stays -1'],
    [-2, 'stays -2'],
    [-3, 'stays -3'],
  ])
  expect([map.size, map.has(-2), map.get(-3)]).toEqual([3, true, 'stays -3'])
  map.clear()
  expect([map.size, ...map.keys(), ...map.values()]).toEqual([0])
})

import { expect, it } from 'vitest'
import { EndedIds } from '../../src/http/ended-ids.js'

it('remembers the ids that ended last, so many and no more', () => {
  const ended = new EndedIds()
  for (let index = 0; index <= 16_384; index++) ended.add(`${index}`)
  expect(['0', '1', '16384', 'another'].map((id) => ended.has(id))).toEqual([false, true, true, false])
})

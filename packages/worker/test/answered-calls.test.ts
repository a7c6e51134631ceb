import { describe, expect, test } from 'vitest'
import { AnsweredCalls } from '../src/answered-calls.js'
import { answeredMax } from '../src/limits.js'

const epoch = 'hubepoch0a'

function answered(...ids: string[]): AnsweredCalls {
  const calls = new AnsweredCalls()
  for (const id of ids) calls.add(id)
  return calls
}

describe('the calls that were answered', () => {
  test('are known by their number, in whatever order they came', () => {
    const calls = answered(`${epoch}-7`, `${epoch}-3`, `${epoch}-0`)
    const known = [0, 1, 3, 6, 7, 8].filter((serial) => calls.has(`${epoch}-${serial}`))
    expect(known).toEqual([0, 3, 7])
  })

  test('are told apart where the number is none, or too long for one', () => {
    const large = '9007199254740992'
    const ids = [`${epoch}-`, `${epoch}-07`, `${epoch}-1e3`, `${epoch}-x`, `${epoch}-${large}`, 'plain']
    const calls = answered(...ids)
    expect(ids.filter((id) => calls.has(id))).toEqual(ids)
    const others = [`${epoch}-7`, `${epoch}-1000`, `${epoch}-0`, `${epoch}-9007199254740993`, `${epoch}-y`]
    expect(others.filter((id) => calls.has(id))).toEqual([])
  })

  test('are remembered for half as many more at least, and for as many at most', () => {
    const calls = answered(`${epoch}-0`)
    for (let serial = 1; serial <= answeredMax / 2; serial++) calls.add(`${epoch}-${serial}`)
    expect(calls.has(`${epoch}-0`)).toBe(true)
    for (let serial = 1; serial <= answeredMax / 2; serial++) calls.add(`${epoch}-${answeredMax + serial}`)
    expect(calls.has(`${epoch}-0`)).toBe(false)
  })

  test('are forgotten together', () => {
    const calls = answered(`${epoch}-5`, `${epoch}-x`)
    calls.clear()
    expect([calls.has(`${epoch}-5`), calls.has(`${epoch}-x`)]).toEqual([false, false])
    calls.add(`${epoch}-2`)
    expect(calls.has(`${epoch}-2`)).toBe(true)
  })
})

import { expect, it } from 'vitest'
import { withAnswer, withReported } from '../../src/runners/usage.js'

it('tells whole counts that a column holds, whatever an endpoint says', () => {
  const greatest = Number.MAX_SAFE_INTEGER
  const once = withAnswer({}, { usage: { prompt_tokens: 1.5, completion_tokens: greatest } })
  expect(once).toEqual({ tokensIn: 2, tokensOut: greatest })
  expect(withAnswer(once, { usage: { completion_tokens: greatest } })).toEqual({ tokensIn: 2, tokensOut: greatest })
  expect(withReported({}, { usage: { input_tokens: 0.2, output_tokens: 7.9 }, total_cost_usd: 0.25 })).toEqual({
    tokensIn: 0,
    tokensOut: 8,
    costUsd: 0.25,
  })
})

it('passes over what is no amount', () => {
  expect(withAnswer({}, { usage: { prompt_tokens: -1, completion_tokens: 1e300 } })).toEqual({})
  expect(withReported({}, { usage: { input_tokens: '7' }, total_cost_usd: Number.NaN })).toEqual({})
})

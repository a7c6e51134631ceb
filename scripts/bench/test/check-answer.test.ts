import { describe, expect, it } from 'vitest'
import { CallTexts } from '../client/call-texts.js'
import { checkAnswer, checkWhole } from '../client/check-answer.js'
import { payloads } from '../client/payload.js'
import { splicedAnswer } from '../programs/spliced-answer.js'

const texts = new CallTexts(payloads.typical, 'echo', 'legacy')
const right = splicedAnswer(texts.request(12))

describe('a call', () => {
  it('is valid JSON of the announced size, and so is its answer', () => {
    expect(JSON.parse(texts.request(7))).toMatchObject({ id: 7, method: 'tools/call', params: { name: 'echo' } })
    expect(texts.request(1_234_567)).toHaveLength(225)
    expect(JSON.parse(right).result.content[0].text).toHaveLength(1_904)
  })

  it.each(['100 B', '10 KB', '1 MB'] as const)('of %s comes back as it went', (name) => {
    const large = new CallTexts(payloads[name], 'echo', 'modern')
    const { params } = JSON.parse(large.request(3))
    expect(params.arguments).toEqual({ text: large.answerText(3) })
    expect(params.arguments.text).toHaveLength(payloads[name].textBytes)
    expect(params._meta).toHaveProperty(['io.modelcontextprotocol/protocolVersion'])
  })
})

describe('checkAnswer', () => {
  it('finds whose answer it is, wherever the id stands', () => {
    expect(checkAnswer(right, texts)).toBe(12)
    const { id, jsonrpc, result } = JSON.parse(right)
    expect(checkAnswer(JSON.stringify({ result, jsonrpc, id }), texts)).toBe(12)
  })

  it('refuses the answer to another call under this id', () => {
    expect(() => checkAnswer(right.replace('"id":12', '"id":13'), texts)).toThrow(/canary of 12/)
    expect(() => checkAnswer(right.replace('"id":12', '"id":123'), texts)).toThrow(/canary of 12/)
  })

  it('refuses failures and cut texts', () => {
    expect(() => checkAnswer('{"jsonrpc":"2.0","id":12,"error":{"code":-32603}}', texts)).toThrow(/no answer/)
    expect(() => checkAnswer(`${right.slice(0, 500)}"}]}}`, texts)).toThrow(/cut/)
  })

  it('is undefined for a notification', () => {
    expect(checkAnswer('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}', texts)).toBeUndefined()
  })
})

describe('checkWhole', () => {
  it('passes the right answer only', () => {
    checkWhole(right, 12, texts)
    expect(() => checkWhole(right.replace('lazy dog', 'lazy cat'), 12, texts)).toThrow(/wrong answer to 12/)
    expect(() => checkWhole(right.replace('"content"', '"isError":true,"content"'), 12, texts)).toThrow(/wrong/)
  })
})

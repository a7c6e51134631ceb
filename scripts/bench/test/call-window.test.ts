import { expect, it, vi } from 'vitest'
import { CallTexts } from '../client/call-texts.js'
import { CallWindow } from '../client/call-window.js'
import { Latencies } from '../client/latencies.js'
import { payloads } from '../client/payload.js'
import { splicedAnswer } from '../programs/spliced-answer.js'

const texts = new CallTexts(payloads['100 B'], 'echo', 'legacy')

function open(inFlight: number, firstId = 1) {
  const sent: string[][] = []
  // It is over when it begins: every answer is awaited, and nothing more is asked.
  const window = new CallWindow(
    { inFlight, ms: 0, payload: '100 B' },
    { texts, firstId, send: (messages) => sent.push([...messages]) },
  )
  return { window, sent }
}

it('asks all at once in one write, and counts each answer', async () => {
  const { window, sent } = open(3)
  expect(sent).toEqual([[texts.request(1), texts.request(2), texts.request(3)]])
  window.take([splicedAnswer(texts.request(3))])
  window.take([splicedAnswer(texts.request(1)), splicedAnswer(texts.request(2))])
  const { calls, latencies } = await window.report
  expect(calls).toBe(3)
  expect(Latencies.of([latencies]).quantile(1)).toBeGreaterThan(0)
  expect(window.nextId).toBe(4)
})

it('asks the next call for each answer while it is open', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  try {
    const sent: string[][] = []
    const send = (messages: readonly string[]) => sent.push([...messages])
    const window = new CallWindow({ inFlight: 1, ms: 10, payload: '100 B' }, { texts, firstId: 1, send })
    vi.advanceTimersByTime(5)
    window.take([splicedAnswer(texts.request(1))])
    vi.advanceTimersByTime(5)
    window.take([splicedAnswer(texts.request(2))])
    expect(await window.report).toMatchObject({ calls: 2, elapsedMs: 10 })
    expect(sent).toEqual([[texts.request(1)], [texts.request(2)]])
  } finally {
    vi.useRealTimers()
  }
})

it.each([
  ['a second answer to one call', [1, 1]],
  ['an answer to a call of another window', [7]],
])('fails on %s', async (_what, ids) => {
  const { window } = open(2)
  window.take(ids.map((id) => splicedAnswer(texts.request(id))))
  await expect(window.report).rejects.toThrow(/nobody waits for/)
})

it('fails on a wrong text in an answer that it reads whole', async () => {
  const { window } = open(1)
  window.take([splicedAnswer(texts.request(1)).replace('fox', 'cat')])
  await expect(window.report).rejects.toThrow(/wrong answer to 1/)
})

import { type Client, inputWaitMsMax } from '@callboard/protocol'
import { describe, expect, test } from 'vitest'
import type { InputQuestion } from '../src/index.js'
import { encodeJson } from '../src/json-body.js'
import { questionsMax } from '../src/limits.js'
import { Scenario } from './scenario.js'

const question: InputQuestion = { method: 'elicitation/create', params: { message: 'Sure?' } }

function asking(options: ConstructorParameters<typeof Scenario>[0] = {}): { scenario: Scenario; id: string } {
  const scenario = new Scenario(options)
  scenario.signIn()
  const id = scenario.request()
  scenario.step({ type: 'input_asked', id, questions: { 'input-1': question } })
  return { scenario, id }
}

const resume = (scenario: Scenario, id: string, inputResponses: unknown, deadline = scenario.hubNow + 60_000) =>
  scenario.deliver({ type: 'resume', id, deadline, body: encodeJson({ inputResponses }) })

describe('a question', () => {
  test('suspends the call; RESUME brings the answer and a new deadline', () => {
    const { scenario, id } = asking({ offset: 100 })
    expect(scenario.sent('input_required')).toEqual([
      {
        type: 'input_required',
        id,
        timeoutMs: inputWaitMsMax,
        body: encodeJson({ inputRequests: { 'input-1': question } }),
      },
    ])
    resume(scenario, id, { 'input-1': { action: 'accept' } }, scenario.hubNow + 5_000)
    expect(scenario.done('resume_handler')).toMatchObject([
      { type: 'resume_handler', id, answers: { 'input-1': { action: 'accept' } } },
    ])
    expect(scenario.session.deadlineOf(id)).toBe(scenario.now + 5_000)
    resume(scenario, id, { 'input-1': {} })
    expect(scenario.done('resume_handler')).toHaveLength(1)
  })

  test('stops the deadline, but not for longer than a person may take', () => {
    const { scenario, id } = asking()
    scenario.advance(inputWaitMsMax - 1)
    expect(scenario.aborted()).toEqual([])
    scenario.advance(1)
    expect(scenario.aborted()).toEqual([`${id} input_abandoned`])
  })

  test('releases the credit until RESUME', () => {
    const { scenario, id } = asking({ concurrency: 1 })
    const second = scenario.request()
    expect(scenario.started()).toEqual([id, second])
    scenario.settle(second)
    resume(scenario, id, {})
    const third = scenario.request()
    expect(scenario.responses()).toEqual([`${second} result`, `${third} over_credit`])
  })

  test('that was never answered ends with CANCEL', () => {
    const { scenario, id } = asking()
    scenario.deliver({ type: 'cancel', id, reason: 'input_abandoned' })
    expect(scenario.aborted()).toEqual([`${id} input_abandoned`])
    resume(scenario, id, {})
    expect(scenario.done('resume_handler')).toEqual([])
    scenario.settle(id)
    scenario.expectQuiet()
  })

  test('waits behind the one that is asked', () => {
    const { scenario, id } = asking()
    scenario.step({ type: 'input_asked', id, questions: { 'input-2': question } })
    expect(scenario.sent('input_required')).toHaveLength(1)
    resume(scenario, id, { 'input-1': {} })
    expect(scenario.sent('input_required')).toHaveLength(2)
    resume(scenario, id, { 'input-2': {} })
    expect(scenario.done('resume_handler').map(({ answers }) => answers)).toEqual([
      { 'input-1': {} },
      { 'input-2': {} },
    ])
  })

  test('without its answer in RESUME comes back undefined, whatever the body is', () => {
    for (const body of [encodeJson({ inputResponses: {} }), encodeJson(null), Buffer.from('{')]) {
      const { scenario, id } = asking()
      scenario.deliver({ type: 'resume', id, deadline: scenario.hubNow + 1_000, body })
      expect(scenario.done('resume_handler')[0]?.answers).toEqual({ 'input-1': undefined })
    }
  })

  test('is refused for a call that is over, and beyond the limit', () => {
    const { scenario, id } = asking()
    for (let i = 0; i <= questionsMax; i++) {
      scenario.step({ type: 'input_asked', id, questions: { [`more-${i}`]: question } })
    }
    expect(scenario.done('refuse_input').map(({ keys }) => keys)).toEqual([[`more-${questionsMax}`]])
    scenario.deliver({ type: 'cancel', id, reason: 'cancelled' })
    scenario.step({ type: 'input_asked', id, questions: { late: question } })
    scenario.step({ type: 'input_asked', id: 'unknown', questions: { late: question } })
    expect(scenario.done('refuse_input')).toHaveLength(3)
  })

  test('is answered by a client that says anew what it wants to hear [CB-49]', () => {
    const { scenario, id } = asking()
    const client: Client = { generation: 'modern', input: [], progress: false, logLevel: 'error' }
    const body = encodeJson({ inputResponses: {} })
    scenario.deliver({ type: 'resume', id, deadline: scenario.hubNow + 1_000, client, body })
    expect(scenario.done('resume_handler')[0]?.client).toEqual(client)
    scenario.step({ type: 'handler_progress', id, body: encodeJson({ progress: 1 }) })
    scenario.step({ type: 'handler_logged', id, level: 'warning', body: encodeJson({ data: 1 }) })
    scenario.step({ type: 'handler_logged', id, level: 'error', body: encodeJson({ data: 2 }) })
    expect(scenario.sent('progress')).toEqual([])
    expect(scenario.sent('log').map(({ level }) => level)).toEqual(['error'])
  })

  test('is answered without a word on that: what REQUEST said still holds', () => {
    const { scenario, id } = asking()
    resume(scenario, id, {})
    expect(scenario.done('resume_handler')[0]?.client).toMatchObject({ progress: true, logLevel: 'info' })
    scenario.step({ type: 'handler_progress', id, body: encodeJson({ progress: 1 }) })
    expect(scenario.sent('progress')).toHaveLength(1)
  })

  test('says nothing by the way while it waits', () => {
    const { scenario, id } = asking()
    scenario.step({ type: 'handler_progress', id, body: encodeJson({ progress: 1 }) })
    expect(scenario.sent('progress')).toEqual([])
  })
})

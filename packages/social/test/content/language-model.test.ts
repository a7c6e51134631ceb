import { describe, expect, it } from 'vitest'
import { type ContentRig, type ContentRigOptions, openContentRig } from '../support/content-rig.js'
import type { LlmAnswer } from '../support/llm-server.js'
import { plainNetwork } from '../support/plain-network.js'

const network = plainNetwork('bluesky')
const write = ({ writer }: ContentRig) => writer.post({ network, topic: 'open networks', principal: 'agent:ada' })

/** How a question that got this answer fails. */
async function failureAfter(answer: LlmAnswer, options: ContentRigOptions = {}) {
  await using rig = await openContentRig(options)
  rig.server.answers(answer)
  const error = await write(rig).then(
    () => undefined,
    (thrown) => thrown,
  )
  expect(error).toMatchObject({ name: 'SocialFailure', code: 'llm_error' })
  expect(error.message).not.toContain('sk-secret')
  return {
    error,
    retryable: error.retryable,
    retryAfterMs: error.options.retryAfterMs,
    questions: rig.server.questions,
  }
}

describe('a question to the model', () => {
  it.each(['openai', 'groq', 'ollama'] as const)('goes to %s as a chat completion', async (provider) => {
    await using rig = await openContentRig({ provider, server: { key: 'sk-secret' } })
    expect(await write(rig)).toMatchObject({ parts: ['A sentence.'], generatedBy: 'llm' })
    const [question] = rig.server.questions
    expect(question).toMatchObject({ path: '/v1/chat/completions', headers: { authorization: 'Bearer sk-secret' } })
    expect(Object.keys(question!.body).sort()).toEqual(['max_tokens', 'messages', 'model', 'temperature'])
    expect(question!.body).toMatchObject({ model: 'test-model', temperature: 0.8, max_tokens: 150 })
    expect(question!.body.messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user'])
  })

  it('goes to Anthropic as messages', async () => {
    await using rig = await openContentRig({ provider: 'anthropic', server: { key: 'sk-secret' } })
    expect(await write(rig)).toMatchObject({ parts: ['A sentence.'], generatedBy: 'llm' })
    const [question] = rig.server.questions
    expect(question).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-api-key': 'sk-secret', 'anthropic-version': '2023-06-01' },
      body: { model: 'test-model', max_tokens: 150, temperature: 0.8, messages: [{ role: 'user' }] },
    })
    expect(question!.headers).not.toHaveProperty('authorization')
    expect(Object.keys(question!.body).sort()).toEqual(['max_tokens', 'messages', 'model', 'system', 'temperature'])
  })

  it('has the tokens and the temperature of its kind', async () => {
    await using rig = await openContentRig()
    await rig.writer.reply({ network, text: 'Hello', author: 'bob', mentionProduct: false })
    rig.server.answers(['One.', 'Two.', 'Three.', 'Four.', 'Five.'].join('\n---\n'))
    await rig.writer.thread({ network })
    expect(rig.server.questions.map(({ body }) => [body.max_tokens, body.temperature])).toEqual([
      [200, 0.7],
      [1_500, 0.7],
    ])
  })

  it('needs no key where the endpoint wants none', async () => {
    await using rig = await openContentRig({ provider: 'ollama', llm: { api_key: undefined } })
    await write(rig)
    expect(rig.server.questions[0]!.headers).not.toHaveProperty('authorization')
  })

  it('is asked in the way of newer models once they refuse the old one, and stays so', async () => {
    await using rig = await openContentRig({ server: { refuses: ['max_tokens', 'temperature'] } })
    await write(rig)
    await write(rig)
    const keys = rig.server.questions.map(({ body }) => Object.keys(body).sort().join(' '))
    expect(keys).toEqual([
      'max_tokens messages model temperature',
      'max_completion_tokens messages model temperature',
      'max_completion_tokens messages model',
      'max_completion_tokens messages model',
    ])
  })

  it('reads an answer in blocks', async () => {
    await using rig = await openContentRig()
    const content = [{ type: 'text', text: 'A sentence' }, { type: 'image' }, { type: 'text', text: ' in two.' }]
    rig.server.answers({ kind: 'raw', body: JSON.stringify({ choices: [{ message: { content } }] }) })
    expect(await write(rig)).toMatchObject({ parts: ['A sentence in two.'] })
  })

  it('stops when its caller does', async () => {
    await using rig = await openContentRig()
    rig.server.answers({ kind: 'never' })
    const controller = new AbortController()
    const arrived = rig.server.next()
    const writing = rig.writer.post({ network }, controller.signal)
    await arrived
    controller.abort(new Error('enough'))
    await expect(writing).rejects.toThrow('enough')
  })
})

describe('a model that fails', () => {
  it.each([
    ['429', { kind: 'error', status: 429 }, 60_000],
    ['429 with a time', { kind: 'error', status: 429, retryAfter: '7' }, 7_000],
    ['429 with a date', { kind: 'error', status: 429, retryAfter: 'Mon, 02 Mar 2026 12:01:30 GMT' }, 90_000],
    ['429 with a past date', { kind: 'error', status: 429, retryAfter: 'Mon, 02 Mar 2026 11:00:00 GMT' }, 0],
    ['429 with nonsense', { kind: 'error', status: 429, retryAfter: 'soon' }, 60_000],
    ['429 for a year', { kind: 'error', status: 429, retryAfter: '31536000' }, 86_400_000],
    ['500', { kind: 'error', status: 500 }, 60_000],
    ['503 with a time', { kind: 'error', status: 503, retryAfter: '2' }, 2_000],
    ['529', { kind: 'error', status: 529 }, 30_000],
    ['529 with a time', { kind: 'error', status: 529, retryAfter: '3' }, 3_000],
  ] as const)('by %s may be asked again, after a while', async (_, answer, wait) => {
    for (const provider of ['openai', 'anthropic'] as const) {
      const { retryable, retryAfterMs, questions } = await failureAfter(answer, { provider })
      expect({ retryable, retryAfterMs, asked: questions.length }).toEqual({
        retryable: true,
        retryAfterMs: wait,
        asked: 1,
      })
    }
  })

  it.each([
    ['400', { kind: 'error', status: 400, message: 'model not found' }],
    ['404', { kind: 'error', status: 404 }],
    ['no JSON', { kind: 'raw', body: '<html>' }],
    ['no body', { kind: 'raw', body: '' }],
    ['a wrong shape', { kind: 'raw', body: '{"choices":[{"message":{"content":42}}],"content":"hello"}' }],
    ['no choice', { kind: 'raw', body: '{"choices":[],"content":null}' }],
    ['an error behind a 200', { kind: 'raw', body: '{"error":"no"}' }],
    ['a refusal', { kind: 'refusal' }],
    ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:1/' }],
    ['an endless body', { kind: 'raw', body: `{"choices":[${' '.repeat(5_000_000)}]}` }],
  ] as const)('by %s is not worth asking again', async (_, answer) => {
    for (const provider of ['openai', 'anthropic'] as const) {
      const { retryable, questions } = await failureAfter(answer, { provider })
      expect({ retryable, asked: questions.length }).toEqual({ retryable: false, asked: 1 })
    }
  })

  it('says what the endpoint says of it, on one line and not for ever', async () => {
    const { error } = await failureAfter({ kind: 'error', status: 500, message: `a\nb sk-secret ${'x'.repeat(9_999)}` })
    expect(error.message).toMatch(/^127\.0\.0\.1:\d+ failed \(500\): a b \[redacted\] x+\. Try again later\.$/)
    expect(error.message.length).toBeLessThan(400)
    expect(error.options.details).toEqual({ provider: 'openai', status: 500 })
  })

  it('does not say what the endpoint says of a key', async () => {
    const { error, retryable } = await failureAfter('never said', { server: { key: 'sk-other' } })
    expect(retryable).toBe(false)
    expect(error.message).toMatch(
      /^127\.0\.0\.1:\d+ refused the key \(401\): an operator has to check social\.llm\.api_key\.$/,
    )
  })

  it('is given up after 30 seconds', async () => {
    await using rig = await openContentRig()
    rig.server.answers({ kind: 'never' })
    const arrived = rig.server.next()
    const writing = write(rig).catch((error) => error)
    await arrived
    rig.foundation.clock.advance(30_000)
    expect(await writing).toMatchObject({
      code: 'llm_error',
      retryable: true,
      message: expect.stringMatching(/did not answer within 30 s\.$/),
    })
  })

  it('by a lost connection may be asked again', async () => {
    const { retryable } = await failureAfter({ kind: 'hang up' })
    expect(retryable).toBe(true)
  })
})

describe('what was spent', () => {
  const rows = ({ foundation }: ContentRig) => foundation.store.db.selectFrom('llm_usage').selectAll().execute()

  it('is recorded for each answer, of use or not', async () => {
    await using rig = await openContentRig({ provider: 'anthropic' })
    rig.server.answers('', 'A sentence.')
    await write(rig)
    const row = {
      provider: 'anthropic',
      model: 'test-model',
      purpose: 'tweet',
      input_tokens: 100,
      output_tokens: 20,
      principal: 'agent:ada',
      at: rig.foundation.clock.now(),
    }
    expect(await rows(rig)).toMatchObject([row, row])
  })

  it('is recorded of a refusal and of an answer that can not be read, with no tokens where none are told', async () => {
    await using rig = await openContentRig()
    rig.server.answers({ kind: 'refusal' })
    await expect(write(rig)).rejects.toThrow('refused')
    rig.server.answers({ kind: 'raw', body: '{"usage":{"prompt_tokens":-5,"completion_tokens":1e99}}' })
    await expect(write(rig)).rejects.toThrow('no answer of a model')
    expect((await rows(rig)).map(({ input_tokens, output_tokens }) => [input_tokens, output_tokens])).toEqual([
      [100, 20],
      [0, 0],
    ])
  })

  it('is not recorded where nothing was generated', async () => {
    await using rig = await openContentRig()
    rig.server.answers({ kind: 'error', status: 429 })
    await expect(write(rig)).rejects.toThrow('patience')
    expect(await rows(rig)).toEqual([])
  })

  it('costs nobody the text when it can not be recorded', async () => {
    await using rig = await openContentRig()
    await rig.foundation.store.db.schema.dropTable('llm_usage').execute()
    expect(await write(rig)).toMatchObject({ parts: ['A sentence.'] })
    expect(rig.foundation.logged).toMatchObject([{ level: 'error' }])
  })
})

describe('whether the model is there', () => {
  it('is asked by listing models, once a minute, and never by a question', async () => {
    await using rig = await openContentRig({ server: { models: ['test-model'] } })
    const both = await Promise.all([rig.writer.check(), rig.writer.check()])
    expect(both[0]).toEqual({ status: 'ok', message: expect.stringMatching(/ has test-model\.$/) })
    rig.foundation.clock.advance(59_999)
    await rig.writer.check()
    expect([rig.server.lists, rig.server.questions.length]).toEqual([1, 0])
    rig.foundation.clock.advance(1)
    await rig.writer.check()
    expect([rig.server.lists, rig.server.questions.length]).toEqual([2, 0])
  })

  it.each([
    [['other'], / answers; test-model is not among the models that it lists\.$/],
    [['test-model:latest'], / has test-model\.$/],
  ])('is a yes also for a server that lists %j', async (models, words) => {
    await using rig = await openContentRig({ server: { models } })
    expect(await rig.writer.check()).toEqual({ status: 'ok', message: expect.stringMatching(words) })
  })

  it.each([
    ['refuses the key', { kind: 'error', status: 401, message: 'sk-secret is wrong' }, 'refused the key'],
    ['has no list', { kind: 'raw', body: '[]' }, 'no list of models'],
    ['fails', { kind: 'error', status: 500 }, 'failed (500)'],
    ['hangs up', { kind: 'hang up' }, 'connection'],
  ] as const)('is a no for one that %s', async (_, answer, words) => {
    await using rig = await openContentRig()
    rig.server.answersList(answer)
    const { status, message } = await rig.writer.check()
    expect(status).toBe('error')
    expect(message).toContain(words)
    expect(message).not.toContain('sk-secret')
  })

  it('is asked with the key', async () => {
    await using rig = await openContentRig({ provider: 'anthropic', server: { key: 'sk-secret' } })
    expect(await rig.writer.check()).toMatchObject({ status: 'ok' })
  })
})

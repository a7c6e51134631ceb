import { describe, expect, it } from 'vitest'
import { ada, bob } from '../support/whole-forum.js'
import { adminOf, ask, forum, inTime, refusal, userOf, worker, writable, writing } from './support.js'

const person = { username: 'fern', email: 'fern@example.com', name: 'Fern', password: 'a long enough one' }

describe('writes to one forum', () => {
  it('leave one a second, whatever they write and whichever session asks', async () => {
    const { whole, server, topic } = await writable()
    await whole.select(server.base, bob)
    const start = whole.clock.now()
    const image_data = Buffer.from('text').toString('base64')
    const calls = [
      whole.ask('discourse_create_post', { topic_id: topic.id, raw: 'The first one.' }, ada),
      whole.ask('discourse_save_draft', { draft_key: 'new_topic', reply: 'The second one.' }, bob),
      whole.ask('discourse_create_user', person, ada).catch(() => undefined),
      whole.ask('discourse_upload_file', { image_data, filename: 'a.png' }, bob).catch(() => undefined),
      whole.ask('discourse_mark_notifications_read', {}, ada),
    ]
    await inTime(whole, Promise.all(calls))
    const times = server.seen(/^(POST|PUT|DELETE) /).map(({ at }) => at - start)
    expect(times).toEqual([0, 1_000, 2_000, 3_000, 4_000])
  })

  it('do not keep those to another forum waiting', async () => {
    const { whole, server, topic, clock } = await writable()
    const other = await forum({ clock })
    const there = other.forum.addTopic({ title: 'Elsewhere', username: 'bob', raw: 'Write there.' })
    const whole2 = await worker({ clock, config: { ...writing, auth_pairs: [adminOf(server), adminOf(other)] } })
    await whole2.select(server.base, ada)
    await whole2.select(other.base, bob)
    const start = clock.now()
    const here = [1, 2, 3].map((n) =>
      whole2.ask('discourse_create_post', { topic_id: topic.id, raw: `Number ${n} here` }, ada),
    )
    const far = [1, 2].map((n) =>
      whole2.ask('discourse_create_post', { topic_id: there.id, raw: `Number ${n} there` }, bob),
    )
    await inTime(whole, Promise.all([...here, ...far]))
    expect(server.seen(/^POST/).map(({ at }) => at - start)).toEqual([0, 1_000, 2_000])
    expect(other.seen(/^POST/).map(({ at }) => at - start)).toEqual([0, 1_000])
  })

  it('that are cancelled while they wait never leave, and those behind move up', async () => {
    const { whole, server, topic } = await writable()
    const stop = new AbortController()
    const post = (raw: string, signal?: AbortSignal) =>
      whole.link.callTool('discourse_create_post', { topic_id: topic.id, raw }, { ...ada, ...(signal && { signal }) })
    const start = whole.clock.now()
    const calls = [post('The first one'), post('The second one', stop.signal), post('The third one')]
    await whole.settle()
    stop.abort()
    await inTime(whole, Promise.allSettled(calls))
    expect(server.seen(/^POST/).map(({ at, json }) => [at - start, (json as { raw: string }).raw])).toEqual([
      [0, 'The first one'],
      [1_000, 'The third one'],
    ])
  })
})

describe('what becomes of a write', () => {
  it.each([
    ['done-then-status', 502],
    ['done-then-status', 500],
    ['cut', 0],
    ['cut-body', 0],
  ] as const)('is found where it was done, and sent once: %s %i', async (kind, status) => {
    const { whole, server, topic } = await writable()
    server.fault({ on: /^POST/, kind, status, html: '<html></html>' })
    const given = { topic_id: topic.id, raw: 'Was it written?' }
    const answer = await ask(whole, 'discourse_create_post', given)
    expect(answer).toMatchObject({ outcome: 'done', recovered: true, topic_id: topic.id, username: 'ada' })
    expect(await ask(whole, 'discourse_create_post', given)).toEqual({ ...answer, duplicate: true })
    expect(server.seen(/^POST/)).toHaveLength(1)
  })

  it('is unknown where nothing is found, and then only looked for', async () => {
    const { whole, server, topic } = await writable()
    server.fault({ on: /^POST/, kind: 'status', status: 502, html: '<html></html>' })
    const given = { topic_id: topic.id, raw: 'Was it written?' }
    const error = await refusal(whole, 'discourse_create_post', given)
    expect(error).toMatchObject({ code: 'outcome_unknown', outcome: 'unknown', status: 502 })
    const { _meta } = await inTime(whole, whole.link.callTool('discourse_create_post', given, ada))
    expect(_meta?.['callboard/error']).toMatchObject({ code: 'outcome_unknown', retryable: false })
    expect(server.seen(/^POST/)).toHaveLength(1)
    server.forum.addPost(topic.id, { username: 'ada', raw: given.raw })
    expect(await ask(whole, 'discourse_create_post', given)).toMatchObject({ outcome: 'done', recovered: true })
    expect(server.seen(/^POST/)).toHaveLength(1)
  })

  it('is queued where a moderator has to look at it, which is no success without an id', async () => {
    const { whole, server, topic } = await writable()
    server.forum.moderate.add('ada')
    expect(await ask(whole, 'discourse_create_post', { topic_id: topic.id, raw: 'May I say this?' })).toEqual({
      ...{ id: null, topic_id: topic.id, post_number: null, outcome: 'queued' },
      ...{ pending_post_id: expect.any(Number), pending_count: 1 },
    })
  })

  it('is not confirmed for an account of which the forum tells no id', async () => {
    const { whole, server } = await writable()
    server.fault({ on: /^POST/, kind: 'status', status: 200, json: { success: true, active: true, message: 'Sent' } })
    const answer = await ask(whole, 'discourse_create_user', person)
    expect(answer).toMatchObject({ success: true, confirmed: false, outcome: 'done' })
    expect(answer).not.toHaveProperty('user_id')
    const json = { success: false, message: 'Taken', errors: { username: ['must be unique'] } }
    server.fault({ on: /^POST/, kind: 'status', status: 200, json })
    expect(await refusal(whole, 'discourse_create_user', { ...person, username: 'ada' })).toMatchObject({
      ...{ code: 'rejected', outcome: 'rejected', errors: ['username must be unique'] },
    })
  })

  it('is not stored where a bot saves a draft, and a conflict where another sequence deletes one', async () => {
    const server = await forum()
    const whole = await worker({ config: { ...writing, auth_pairs: [adminOf(server, 'system')] } })
    await whole.select(server.base)
    const save = { draft_key: 'new_topic', reply: 'Never kept' }
    expect(await refusal(whole, 'discourse_save_draft', save)).toMatchObject({ code: 'not_stored' })
    const mine = await worker({ config: { ...writing, auth_pairs: [userOf(server, 'bob')] } })
    await mine.select(server.base)
    const saved = await ask(mine, 'discourse_save_draft', save)
    const wrong = { draft_key: 'new_topic', sequence: saved.sequence + 5 }
    const error = await refusal(mine, 'discourse_delete_draft', wrong)
    expect(error).toMatchObject({ code: 'conflict', current_sequence: saved.sequence })
  })
})

describe('the same call', () => {
  const at = (ms: number) => `${ms} ms`
  it.each([
    [119_000, undefined, true],
    [120_001, undefined, false],
    [120_001, 'key-1', true],
    [599_000, 'key-1', true],
    [600_001, 'key-1', false],
  ])(`after ${at(0)} + %i with key %s is a duplicate: %s`, async (ms, idempotency_key, isDuplicate) => {
    const { whole, server } = await writable()
    const given = { draft_key: 'new_topic', reply: 'Once', ...(idempotency_key && { idempotency_key }) }
    const first = await ask(whole, 'discourse_save_draft', given)
    whole.clock.advance(ms)
    const again = ask(whole, 'discourse_save_draft', given).catch(() => ({}))
    expect(await again).toEqual(
      isDuplicate ? { ...first, duplicate: true } : expect.not.objectContaining({ duplicate: true }),
    )
    expect(server.seen(/^POST/)).toHaveLength(isDuplicate ? 1 : 2)
  })

  it('is another one with another key, or where the hub brings another', async () => {
    const { whole, server, topic } = await writable()
    const given = { topic_id: topic.id, raw: 'Said twice, on purpose' }
    const meta = (key: string) => ({ ...ada, idempotencyKey: key })
    const answers = [
      await ask(whole, 'discourse_create_post', given, meta('one')),
      await ask(whole, 'discourse_create_post', given, meta('one')),
      await ask(whole, 'discourse_create_post', given, meta('two')),
      await ask(whole, 'discourse_create_post', { ...given, idempotency_key: 'three' }, meta('one')),
    ]
    expect(answers.map(({ duplicate }) => duplicate)).toEqual([undefined, true, undefined, undefined])
    expect(server.seen(/^POST/)).toHaveLength(3)
  })

  it('that is refused may be made again', async () => {
    const { whole, server, topic } = await writable()
    const given = { topic_id: topic.id, raw: 'Refused at first' }
    server.fault({ on: /^POST/, kind: 'status', status: 422, json: { errors: ['Not now'] } })
    expect(await refusal(whole, 'discourse_create_post', given)).toMatchObject({ code: 'rejected' })
    expect(await ask(whole, 'discourse_create_post', given)).not.toHaveProperty('duplicate')
  })
})

it('what was read before an edit is not what is read after it', async () => {
  const { whole, topic } = await writable()
  const post_id = topic.posts[0]!.id
  const read = async (who = ada) => [
    (await ask(whole, 'discourse_read_post', { post_id }, who)).raw,
    (await ask(whole, 'discourse_read_topic', { topic_id: topic.id }, who)).posts[0].raw,
  ]
  expect(await read()).toEqual(Array(2).fill('Write here, please.'))
  await ask(whole, 'discourse_update_post', { post_id, raw: 'Write there, please.' })
  expect(await read()).toEqual(Array(2).fill('Write there, please.'))
})

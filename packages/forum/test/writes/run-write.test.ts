import { describe, expect, it } from 'vitest'
import { journalMs, sameCallMs } from '../../src/limits.js'
import { createPostTool } from '../../src/tools/create-post-tool.js'
import { saveDraftTool } from '../../src/tools/save-draft-tool.js'
import { updatePostTool } from '../../src/tools/update-post-tool.js'
import { failureOf, openWriteRig, type WriteRig } from '../support/write-rig.js'

const createPost = createPostTool()
const posting = /^POST \/posts\.json/

/** A forum in which there is a topic. */
async function setUp() {
  const rig = await openWriteRig()
  const topic = rig.server.forum.addTopic({
    title: 'Bees in the mill',
    username: 'bob',
    raw: 'There are bees in the mill.',
  })
  const reply = (raw = 'I will come with a box.') => ({ topic_id: topic.id, raw })
  return { rig, topic, reply, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() }
}

const sent = (rig: WriteRig) => rig.server.seen(posting).length

describe('the pace', () => {
  it('lets three posts at once leave at 0, 1000 and 2000 ms', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    const start = rig.clock.now()
    const answers = ['One post.', 'Two posts.', 'Three posts.'].map((raw) => rig.begin(createPost, reply(raw)))
    await rig.pass(2000)
    await Promise.all(answers)
    expect(rig.times(posting, start)).toEqual([0, 1000, 2000])
  })

  it('is one for posts and drafts', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    const start = rig.clock.now()
    const answers = [
      rig.begin(createPost, reply()),
      rig.begin(saveDraftTool(), { draft_key: 'new_topic', reply: 'Later.' }),
    ]
    await rig.pass(1000)
    await Promise.all(answers)
    expect(rig.times(/^POST/, start)).toEqual([0, 1000])
  })

  it('is one for all replicas', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    const start = rig.clock.now()
    const replicas = [await rig.replica(), await rig.replica()]
    const answers = ['One post.', 'Two posts.', 'Three posts.', 'Four posts.'].map((raw, index) =>
      rig.begin(createPost, reply(raw), { writer: replicas[index % 2]! }),
    )
    await rig.pass(3000)
    await Promise.all(answers)
    expect(rig.times(posting, start)).toEqual([0, 1000, 2000, 3000])
  })

  it('has a cancelled call leave without sending, and the next one take its time', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    const start = rig.clock.now()
    const cancel = new AbortController()
    const first = rig.begin(createPost, reply('One post.'))
    const second = failureOf(rig.begin(createPost, reply('Two posts.'), { signal: cancel.signal }))
    const third = rig.begin(createPost, reply('Three posts.'))
    await rig.pass(500)
    cancel.abort()
    expect(await second).toMatchObject({ code: 'cancelled', details: { outcome: 'rejected' } })
    await rig.pass(500)
    await Promise.all([first, third])
    expect(rig.times(posting, start)).toEqual([0, 1000])
    expect(await rig.write(createPost, reply('Two posts.'))).toMatchObject({ outcome: 'done' })
  })
})

describe('an edit', () => {
  const edits = /^PUT \/posts\//
  const updatePost = updatePostTool({ config: { maxReadLength: 1_000 } })

  it('that was undone by another one is made again', async () => {
    await using site = await setUp()
    const { rig } = site
    const topic = ownTopic(rig)
    const edit = (raw: string) => rig.write(updatePost, { post_id: topic.posts[0]!.id, raw })
    await edit('There are bees in the mill, many.')
    await passing(rig, edit('There are no bees in the mill.'))
    expect(await passing(rig, edit('There are bees in the mill, many.'))).not.toHaveProperty('duplicate')
    expect(topic.posts[0]!.raw).toBe('There are bees in the mill, many.')
    expect(rig.server.seen(edits)).toHaveLength(3)
  })

  it('of which nobody knows whether it was made is looked for first', async () => {
    await using site = await setUp()
    const { rig } = site
    const topic = ownTopic(rig)
    const input = { post_id: topic.posts[0]!.id, raw: 'There are bees in the mill, many.' }
    rig.server.fault({ on: edits, kind: 'status', status: 502, html: '<h1>Bad Gateway</h1>' })
    const first = rig.refusal(updatePost, input)
    await rig.pass(10_000)
    expect(await first).toMatchObject({ code: 'outcome_unknown' })
    topic.posts[0]!.raw = input.raw
    expect(await rig.write(updatePost, input)).toMatchObject({ outcome: 'done', recovered: true })
    expect(rig.server.seen(edits)).toHaveLength(1)
  })
})

const ownTopic = (rig: WriteRig) =>
  rig.server.forum.addTopic({ title: 'More bees', username: 'ada', raw: 'There are bees in the mill.' })

async function passing<Answer>(rig: WriteRig, answer: Promise<Answer>): Promise<Answer> {
  await rig.pass(1_000)
  return answer
}

describe('what became of it', () => {
  it('is done', async () => {
    await using site = await setUp()
    const { rig, topic, reply } = site
    const answer = await rig.write(createPost, reply())
    expect(answer).toEqual({
      id: topic.posts[1]!.id,
      topic_id: topic.id,
      post_number: 2,
      username: 'ada',
      outcome: 'done',
    })
  })

  it('is rejected with the forum’s own words, and may be sent again', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    const json = { action: 'create_post', errors: ['Body is too short (minimum is 5 characters)'] }
    rig.server.fault({ on: posting, kind: 'status', status: 422, json })
    expect(await rig.refusal(createPost, reply())).toMatchObject({
      code: 'rejected',
      details: { outcome: 'rejected', errors: ['Body is too short (minimum is 5 characters)'] },
    })
    expect(await rig.write(createPost, reply())).toMatchObject({ outcome: 'done' })
  })

  it('is rejected after 429, which is not waited for', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    rig.server.fault({ on: posting, kind: 'rate-limit', shape: 'json', seconds: 3 })
    expect(await rig.refusal(createPost, reply())).toMatchObject({
      code: 'rate_limited',
      details: { outcome: 'rejected', retry_after_s: 3 },
    })
    await rig.pass(60_000)
    expect(sent(rig)).toBe(1)
  })

  it('is rejected by a forum that is read-only', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    const json = { errors: ['This site is in read only mode.'], error_type: 'read_only' }
    rig.server.fault({ on: posting, kind: 'status', status: 503, json })
    const refused = await rig.refusal(createPost, reply())
    expect(refused).toMatchObject({ code: 'site_read_only', details: { outcome: 'rejected' } })
  })

  for (const fault of [
    { kind: 'done-then-status', status: 502, html: '<html>Bad Gateway</html>' },
    { kind: 'cut' },
    { kind: 'cut-body' },
  ] as const) {
    it(`is found where it was done and then ended with ${fault.kind}`, async () => {
      await using site = await setUp()
      const { rig, topic, reply } = site
      topic.posts[0]!.raw = reply().raw
      rig.server.fault({ on: posting, ...fault })
      const answer = await rig.write(createPost, reply())
      expect(answer).toMatchObject({ id: topic.posts[1]!.id, post_number: 2, outcome: 'done', recovered: true })
      expect(sent(rig)).toBe(1)
    })
  }

  for (const fault of [
    { kind: 'status', status: 502, html: '<html>Bad Gateway</html>' },
    { kind: 'status', status: 500, text: 'no' },
    { kind: 'drop' },
    { kind: 'html' },
  ] as const) {
    it(`is unknown where nothing is found after ${fault.kind} ${'status' in fault ? fault.status : ''}`, async () => {
      await using site = await setUp()
      const { rig, reply } = site
      rig.server.fault({ on: posting, ...fault })
      const failure = await rig.refusal(createPost, reply())
      expect(failure).toMatchObject({ code: 'outcome_unknown', retryable: false, details: { outcome: 'unknown' } })
      expect(failure.message).toContain('Do not send it again')
      expect(failure.message).toContain('discourse_read_topic')
      expect(sent(rig)).toBe(1)
    })
  }

  it('is found at the second look, where the forum was still at it', async () => {
    await using site = await setUp()
    const { rig, topic, reply } = site
    rig.server.fault({ on: posting, kind: 'drop' })
    const answer = rig.begin(createPost, reply())
    await rig.pass(1000)
    const late = rig.server.forum.addPost(topic.id, { username: 'ada', raw: reply().raw })
    await rig.pass(1000)
    expect(await answer).toMatchObject({ id: late.id, recovered: true })
  })

  it('is not what somebody else wrote, nor what was there before', async () => {
    await using site = await setUp()
    const { rig, topic, reply } = site
    rig.server.forum.addPost(topic.id, { username: 'ada', raw: reply().raw })
    rig.clock.advance(60_000)
    rig.server.forum.addPost(topic.id, { username: 'bob', raw: reply().raw })
    rig.server.fault({ on: posting, kind: 'drop' })
    expect(await rig.refusal(createPost, reply())).toMatchObject({ code: 'outcome_unknown' })
  })

  it('is unknown after a timeout, within the time that the caller has', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    rig.server.fault({ on: posting, kind: 'stall' })
    rig.held = 1
    const start = rig.clock.now()
    const failure = failureOf(rig.begin(createPost, reply(), { within: 10_000 }))
    await rig.pass(9000)
    rig.held = 0
    await rig.pass(900)
    expect(await failure).toMatchObject({ code: 'outcome_unknown' })
    expect(rig.clock.now() - start).toBeLessThan(10_000)
  })

  it('is unknown after it was cancelled under way, and stays so', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    rig.server.fault({ on: posting, kind: 'stall' })
    const cancel = new AbortController()
    const failure = failureOf(rig.begin(createPost, reply(), { signal: cancel.signal }))
    await rig.server.arrived(posting)
    cancel.abort()
    expect(await failure).toMatchObject({ code: 'cancelled', details: { outcome: 'unknown' } })
    expect(await rig.refusal(createPost, reply())).toMatchObject({ code: 'outcome_unknown' })
    expect(sent(rig)).toBe(1)
  })
})

describe('the same call', () => {
  it('has one effect when it comes twice at the same time', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    const [one, two] = await Promise.all([rig.write(createPost, reply()), rig.begin(createPost, reply())])
    expect(two).toEqual({ ...one, duplicate: true })
    expect(sent(rig)).toBe(1)
  })

  it('goes on for one caller when the other has cancelled', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    rig.server.fault({ on: posting, kind: 'hold' })
    const cancel = new AbortController()
    const one = failureOf(rig.begin(createPost, reply(), { signal: cancel.signal }))
    const two = rig.begin(createPost, reply())
    await rig.server.arrived(posting)
    cancel.abort()
    expect(await one).toMatchObject({ code: 'cancelled', details: { outcome: 'unknown' } })
    rig.server.release()
    expect(await two).toMatchObject({ post_number: 2, duplicate: true })
  })

  it('ends for one who can’t wait as long as the others', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    rig.server.fault({ on: posting, kind: 'hold' })
    const one = rig.begin(createPost, reply())
    const two = failureOf(rig.begin(createPost, reply(), { within: 5000 }))
    await rig.server.arrived(posting)
    rig.held = 1
    await rig.pass(5000)
    expect(await two).toMatchObject({ code: 'timeout', details: { outcome: 'unknown' }, retryable: false })
    rig.server.release()
    expect(await one).toMatchObject({ post_number: 2 })
  })

  it('is given the recorded answer for two minutes', async () => {
    await using site = await setUp()
    const { rig, topic, reply } = site
    const first = await rig.write(createPost, reply())
    rig.clock.advance(sameCallMs - 1)
    expect(await rig.write(createPost, reply())).toEqual({ ...first, duplicate: true })
    expect(await rig.write(createPost, reply(), { writer: await rig.replica() })).toEqual({ ...first, duplicate: true })
    expect(sent(rig)).toBe(1)
    rig.clock.advance(1)
    expect(await rig.write(createPost, reply())).toMatchObject({ id: topic.posts[2]!.id, outcome: 'done' })
  })

  it('is given it for ten with a key, as an argument or beside them', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    const first = await rig.write(createPost, { ...reply(), idempotency_key: 'k1' })
    rig.clock.advance(journalMs - 1)
    expect(await rig.write(createPost, { ...reply(), idempotency_key: 'k1' })).toEqual({ ...first, duplicate: true })
    expect(await rig.write(createPost, reply(), { key: 'k1' })).toEqual({ ...first, duplicate: true })
    expect(await rig.write(createPost, { ...reply(), idempotency_key: 'k1' }, { key: 'k2' })).toEqual({
      ...first,
      duplicate: true,
    })
    expect(sent(rig)).toBe(1)
  })

  it('is another one with another key, other arguments, or as somebody else', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    await rig.write(createPost, reply())
    await rig.write(createPost, { ...reply(), idempotency_key: 'k1' })
    await rig.write(createPost, { ...reply(), idempotency_key: 'k2' })
    await rig.write(createPost, reply('Something else, then.'))
    await rig.write(createPost, { ...reply(), author_username: 'bob' })
    expect(sent(rig)).toBe(5)
  })

  it('is looked for and never sent again after an unknown outcome', async () => {
    await using site = await setUp()
    const { rig, topic, reply } = site
    rig.server.fault({ on: posting, kind: 'drop' })
    await rig.refusal(createPost, reply())
    rig.clock.advance(sameCallMs)
    expect(await rig.refusal(createPost, reply())).toMatchObject({ code: 'outcome_unknown' })
    const late = rig.server.forum.addPost(topic.id, { username: 'ada', raw: reply().raw })
    // What was read of the topic is kept that long.
    rig.clock.advance(10_000)
    expect(await rig.write(createPost, reply())).toMatchObject({ id: late.id, recovered: true })
    expect(sent(rig)).toBe(1)
    expect(await rig.write(createPost, { ...reply(), idempotency_key: 'k1' })).toMatchObject({ outcome: 'done' })
    expect(sent(rig)).toBe(2)
  })

  it('is waited for while another process is at it', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    rig.server.fault({ on: posting, kind: 'hold' })
    const one = rig.begin(createPost, reply())
    await rig.server.arrived(posting)
    rig.held = 1
    const two = rig.begin(createPost, reply(), { writer: await rig.replica() })
    await rig.pass(2000)
    rig.server.release()
    rig.held = 0
    const first = await one
    await rig.pass(1000)
    expect(await two).toEqual({ ...first, duplicate: true })
    expect(sent(rig)).toBe(1)
  })

  it('is found soon where the process that sent it has no answer, or is gone', async () => {
    await using site = await setUp()
    const { rig, topic, reply } = site
    rig.server.fault({ on: posting, kind: 'hold' })
    const one = rig.begin(createPost, reply())
    await rig.server.arrived(posting)
    rig.held = 1
    const two = rig.begin(createPost, reply(), { writer: await rig.replica() })
    await rig.pass(4000)
    const found = { id: topic.posts[1]?.id, outcome: 'done', recovered: true, duplicate: true }
    expect(await two).toMatchObject(found)
    rig.server.release()
    rig.held = 0
    expect(await one).toMatchObject({ id: found.id, outcome: 'done' })
    expect(sent(rig)).toBe(1)
  })

  for (const isDone of [true, false]) {
    it(`is looked for after the process that sent it was killed; it was ${isDone ? '' : 'not '}done`, async () => {
      await using site = await setUp()
      const { rig, topic, reply } = site
      const killed = await rig.replica()
      rig.server.fault({ on: posting, kind: isDone ? 'cut' : 'drop' })
      void rig.begin(createPost, reply(), { writer: killed, within: 20_000 }).catch(() => undefined)
      await rig.server.arrived(posting)
      await rig.kill(killed)
      await rig.pass(2000)
      // Nobody knows yet that it is gone.
      const early = rig.write(createPost, reply(), { within: 10_000 })
      const found = { id: topic.posts[1]?.id, recovered: true }
      if (isDone) expect(await early).toMatchObject(found)
      else expect(await failureOf(early)).toMatchObject({ code: 'outcome_unknown' })
      await rig.pass(25_000)
      if (isDone) expect(await rig.write(createPost, reply())).toMatchObject({ ...found, duplicate: true })
      else expect(await rig.refusal(createPost, reply())).toMatchObject({ code: 'outcome_unknown' })
      expect(sent(rig)).toBe(1)
    })
  }

  it('is sent by another one where the process that had it was killed before its turn', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    const killed = await rig.replica()
    await rig.write(createPost, reply('One post.'), { writer: killed })
    void failureOf(rig.begin(createPost, reply('Two posts.'), { writer: killed })).catch(() => undefined)
    void failureOf(rig.begin(createPost, reply(), { writer: killed, within: 20_000 })).catch(() => undefined)
    await rig.pass(500)
    await rig.kill(killed)
    await rig.pass(30_000)
    expect(await rig.write(createPost, reply())).toMatchObject({ outcome: 'done' })
  })
})

describe('a forum that asks for a pause', () => {
  it('gets one write a second after it, and not all at once', async () => {
    await using site = await setUp()
    const { rig, reply } = site
    const start = rig.clock.now()
    rig.server.fault({ on: posting, kind: 'rate-limit', shape: 'text', seconds: 5 })
    const refused = failureOf(rig.begin(createPost, reply()))
    const others = ['Two posts.', 'Three posts.'].map((raw) => rig.begin(createPost, reply(raw)))
    await rig.pass(10_000)
    expect(await refused).toMatchObject({ code: 'rate_limited' })
    await Promise.all(others)
    expect(rig.times(posting, start)).toEqual([0, 5000, 6000])
  })
})

import { describe, expect, it } from 'vitest'
import { eras, forumAgent } from './support/forum-agent.js'
import { adminOf, ForumInstallation, forumServer, writing } from './support/forum-installation.js'

const raw = 'The oak bridge has carried forty carts this week.'

async function stage(era: (typeof eras)[number]) {
  const server = await forumServer()
  const installation = new ForumInstallation({ config: { ...writing, auth_pairs: [adminOf(server)] } })
  await installation.hub()
  const worker = await installation.forum()
  const agent = await forumAgent(installation, era, 'ada')
  await agent.select(server.base)
  await agent.untilTold(1)
  const { id } = server.forum.addTopic({ title: 'A place to write', username: 'mayor', raw: 'Write here, please.' })
  return { server, installation, worker, agent, id }
}

describe.each(eras)('a worker that is killed while a write of a %s agent is on the wire', (era) => {
  it('leaves an agent that does not know, and whose second call finds the post', async () => {
    const { server, installation, worker, agent, id } = await stage(era)
    server.fault({ on: /^POST \/posts/, kind: 'hold' })
    const post = { topic_id: id, raw, ...(era === 'legacy' && { idempotency_key: 'bridge-1' }) }
    const meta = era === 'modern' ? { 'callboard/idempotencyKey': 'bridge-1' } : undefined
    const first = agent.call('discourse_create_post', post, meta).catch((error) => error)
    await server.held()
    await worker.kill()
    await installation.forum()
    server.release()
    const answer = await first
    expect(answer._meta['callboard/error']).toMatchObject({ code: 'outcome_unknown', retryable: false })

    // What it had selected went with the process, and so did what it saw for it.
    await agent.untilTold(2)
    expect(await agent.tools()).not.toContain('discourse_create_post')
    expect(await agent.refusal('discourse_create_post', post, meta)).toMatchObject({ code: 'no_site_selected' })
    await agent.select(server.base)
    const began = performance.now()
    const again = await agent.ask('discourse_create_post', post, meta)
    expect(performance.now() - began).toBeLessThan(20_000)
    expect(again).toMatchObject({ topic_id: id, outcome: 'done', recovered: true })
    expect(await agent.ask('discourse_create_post', post, meta)).toMatchObject({ id: again.id, duplicate: true })
    expect(server.seen(/^POST/)).toHaveLength(1)
    expect(server.forum.topic(id).posts.filter((each) => each.raw === raw)).toHaveLength(1)
  }, 120_000)
})

it('a worker that is killed with a write that never got there: nothing sends it again', async () => {
  const { server, installation, worker, agent, id } = await stage('legacy')
  server.fault({ on: /^POST \/posts/, kind: 'stall' })
  const post = { topic_id: id, raw, idempotency_key: 'bridge-1' }
  const first = agent.call('discourse_create_post', post).catch((error) => error)
  await server.held()
  await worker.kill()
  await installation.forum()
  server.release()
  await first
  await agent.select(server.base)
  expect(await agent.refusal('discourse_create_post', post)).toMatchObject({
    code: 'outcome_unknown',
    outcome: 'unknown',
  })
  expect(server.seen(/^POST/)).toHaveLength(1)
  expect(server.forum.topic(id).posts).toHaveLength(1)
}, 120_000)

import { describe, expect, it, vi } from 'vitest'
import { AgentSession } from '../scheduler/support/agent-session.js'
import { SocialInstallation } from './support/social-installation.js'

/** A hub with the social worker and one item that waits. */
async function open(words: readonly string[] = []) {
  const installation = new SocialInstallation()
  await installation.hub(words)
  await installation.social()
  const prefix = words.includes('always') ? 'social_' : ''
  const agent = await AgentSession.open(installation)
  const { data } = await agent.get(`${prefix}propose_post`, { parts: ['A spoon is a small ladle.'], kind: 'tweet' })
  const store = await installation.store()
  const posted = () =>
    vi.waitFor(async () => {
      const rows = await store.db.selectFrom('outbox').select('status').execute()
      expect(rows).toEqual([{ status: 'posted' }])
      return store.db.selectFrom('local_posts').select('text').where('sample', '=', 0).execute()
    })
  const reviewer = async () =>
    (await store.db.selectFrom('approval_queue').select('reviewed_by').executeTakeFirstOrThrow()).reviewed_by
  return { installation, agent, prefix, id: String(data.id), posted, reviewer }
}

describe.each([[[]], [['--namespace', 'always']]])('an operator at a hub with %j', (words) => {
  it('approves by callboard approvals', async () => {
    const { installation, agent, id, prefix, posted, reviewer } = await open(words)
    using _ = agent
    expect(await agent.call(`${prefix}approve_item`, { id: Number(id) })).toMatchObject({ code: 'protocol' })
    const approved = await installation.run(['approvals', 'approve', id, '--yes'])
    expect(approved).toMatchObject({ code: 0, stderr: '' })
    expect(await posted()).toEqual([{ text: 'A spoon is a small ladle.' }])
    expect(await reviewer()).toMatch(/^operator:/)
  })

  it('approves by callboard call --as operator', async () => {
    const { installation, agent, id, prefix, posted, reviewer } = await open(words)
    using _ = agent
    const variables = { CALLBOARD_TOKEN: installation.operatorSecret }
    const called = await installation.run(['call', '--as', 'operator', `${prefix}approve_item`, `id=${id}`], variables)
    expect(called).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(called.stdout)).toMatchObject({ success: true, data: { status: 'approved', id: Number(id) } })
    expect(await posted()).toEqual([{ text: 'A spoon is a small ladle.' }])
    expect(await reviewer()).toMatch(/^operator:/)
  })
})

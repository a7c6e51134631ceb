import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { type ForumAgent, forumAgent } from './support/forum-agent.js'
import { adminOf, ForumInstallation, forumServer, writing } from './support/forum-installation.js'

/** By how much the first one may have come late to a forum that is in a busy process, ms. */
const latenessMs = 150

describeBothDatabases('two workers', ({ create }) => {
  it('keep one pace and one journal, and each has its own sessions', async () => {
    const server = await forumServer()
    const { databaseUrl } = await create()
    const installation = new ForumInstallation({
      config: { ...writing, auth_pairs: [adminOf(server)] },
      ...(databaseUrl !== undefined && { variables: { DATABASE_URL: databaseUrl } }),
    })
    await installation.hub()
    const workers = [await installation.forum(), await installation.forum()]
    const agents = await Promise.all(
      ['bob', 'cleo', 'dora', 'eve'].map((name) => forumAgent(installation, 'legacy', name)),
    )
    await Promise.all(agents.map((agent) => agent.select(server.base)))

    const { id } = server.forum.addTopic({ title: 'A place to write', username: 'mayor', raw: 'Write here, please.' })
    const post = (agent: ForumAgent, n: number) =>
      agent.ask('discourse_create_post', { topic_id: id, raw: `Spoon number ${n} is carved.` })
    const written = await Promise.all(agents.flatMap((agent, n) => [post(agent, 2 * n), post(agent, 2 * n + 1)]))
    expect(new Set(written.map(({ id }) => id)).size).toBe(8)
    const times = server.seen(/^POST/).map(({ at }) => at)
    expect(times).toHaveLength(8)
    for (const [n, at] of times.entries()) expect(at - times[0]!).toBeGreaterThan(n * 1_000 - latenessMs)
    const same = { topic_id: id, raw: 'All of us say this at once.', idempotency_key: 'once' }
    const answers = await Promise.all(agents.map((agent) => agent.ask('discourse_create_post', same)))
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(answers.filter(({ duplicate }) => duplicate !== true)).toHaveLength(1)
    expect(server.seen(/^POST/)).toHaveLength(9)

    // What one of them held is gone with it, and what the other one holds is not.
    await workers[0]!.kill()
    const one = server.forum.addPost(id, { username: 'mayor', raw: 'Which of you is left?' })
    const read = await Promise.all(agents.map((agent) => agent.call('discourse_read_post', { post_id: one.id })))
    const orphans = agents.filter((_, n) => read[n].isError === true)
    expect(orphans).toHaveLength(2)
    for (const agent of agents) {
      const isOrphan = orphans.includes(agent)
      if (isOrphan) {
        expect(await agent.refusal('discourse_read_post', { post_id: 1 })).toMatchObject({ code: 'no_site_selected' })
        await agent.untilTold(2)
      }
      expect((await agent.tools()).includes('discourse_create_post')).toBe(!isOrphan)
    }
  }, 120_000)
})

import { describe, expect, it } from 'vitest'
import { eras, forumAgent } from './support/forum-agent.js'
import { adminOf, ForumInstallation, forumServer, writing } from './support/forum-installation.js'

const remote = (name: string) => ({ tools: [{ name, description: `Does ${name}`, answer: () => ({ result: name }) }] })

describe.each(eras)('a %s agent', (era) => {
  const other = eras.find((each) => each !== era)!

  /** Two forums, one with a key, each with a tool of its own; an agent, and one of the other generation. */
  async function stage() {
    const [writable, readable] = await Promise.all([
      forumServer({ title: 'Writable', aiTools: remote('prune') }),
      forumServer({ title: 'Readable', aiTools: remote('count') }),
    ])
    const installation = new ForumInstallation({ config: { ...writing, auth_pairs: [adminOf(writable)] } })
    await installation.hub()
    await installation.forum()
    const [ada, bob] = [await forumAgent(installation, era, 'ada'), await forumAgent(installation, other, 'bob')]
    return { writable, readable, ada, bob }
  }

  it('sees what its forum lets it do, and is told once of each change, alone', async () => {
    const { writable, readable, ada, bob } = await stage()
    const before = await ada.tools()
    expect(before).toContain('discourse_select_site')
    expect(before).not.toContain('discourse_create_post')

    expect(await ada.select(writable.base)).toEqual({ site: writable.base, title: 'Writable' })
    await ada.untilTold(1)
    const there = await ada.tools()
    expect(there).toEqual(expect.arrayContaining([...before, 'discourse_create_post', 'remote_prune']))
    expect(there).not.toContain('remote_count')
    expect(await bob.tools()).toEqual(before)

    await ada.select(readable.base)
    await ada.untilTold(2)
    expect([...(await ada.tools())].sort()).toEqual([...before, 'remote_count'].sort())
    expect(await bob.tools()).toEqual(before)

    // Only now is there anything to tell the other one.
    expect(bob.told).toBe(0)
    await bob.select(writable.base)
    await bob.untilTold(1)
    expect(await bob.tools()).toEqual(expect.arrayContaining(['discourse_create_post', 'remote_prune']))
    await ada.mcp.request('tools/list')
    expect([ada.told, bob.told]).toEqual([2, 1])
  }, 60_000)

  it('that calls what it does not see is told why, in JSON', async () => {
    const { writable, readable, ada, bob } = await stage()
    const post = { topic_id: 1, raw: 'Hello to all of you.' }
    for (const tool of ['discourse_create_post', 'discourse_search']) {
      expect(await ada.refusal(tool, {})).toEqual({
        error: 'No site selected. Call discourse_select_site first.',
        code: 'no_site_selected',
      })
    }
    await bob.select(writable.base)
    await ada.select(readable.base)
    expect(await ada.refusal('discourse_create_post', post)).toMatchObject({
      code: 'tool_unavailable',
      outcome: 'rejected',
      error: expect.stringContaining(readable.base),
    })
    expect(await ada.refusal('discourse_search', { query: 'spoons', sort: 'new' })).toMatchObject({
      code: 'invalid_arguments',
      issues: [{ path: 'sort' }],
    })
    expect(writable.seen(/^POST/)).toEqual([])
    expect(readable.seen(/^POST/)).toEqual([])
    expect(await bob.ask('remote_prune', {})).toMatchObject({ result: 'prune', outcome: 'done' })
    // It never had it; the other one had it before, and may still remember it.
    await bob.select(readable.base)
    for (const agent of [ada, bob]) {
      await expect(agent.call('remote_prune')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('remote_prune'),
      })
    }
    expect(writable.seen(/^POST .*prune/)).toHaveLength(1)
  }, 60_000)

  it('reads resources of its own forum, and is told as the protocol does why it can not', async () => {
    const { writable, readable, ada, bob } = await stage()
    const uri = 'discourse://site/categories'
    expect(await ada.readError(uri)).toMatchObject({ code: -32603, data: { code: 'no_site_selected', uri } })
    await bob.select(writable.base)
    await ada.select(readable.base)
    const { categories, meta } = await ada.read(uri)
    expect(categories).toHaveLength(meta.total)
    expect(writable.seen(/categories|site\.json/)).toEqual([])
    const drafts = 'discourse://user/drafts'
    expect(await ada.readError(drafts)).toMatchObject({
      code: -32603,
      message: expect.stringContaining('nobody is signed in'),
      data: { code: 'not_authenticated', uri: drafts, error: expect.any(String), hint: expect.any(String) },
    })
    readable.setting.chat = false
    const channels = 'discourse://chat/channels'
    expect(await ada.readError(channels)).toMatchObject({ code: -32602, data: { code: 'not_found', uri: channels } })
    readable.fault({ on: /groups/, kind: 'status', status: 403, json: { errors: ['No.'] } })
    const groups = 'discourse://site/groups'
    expect(await ada.readError(groups)).toMatchObject({
      code: -32603,
      data: { code: 'forbidden', uri: groups, errors: ['No.'], status: 403 },
    })
    const missing = 'discourse://site/badges'
    expect(await ada.readError(missing)).toMatchObject({ code: -32602, data: { uri: missing } })
  }, 60_000)
})

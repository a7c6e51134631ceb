import { describe, expect, it, vi } from 'vitest'
import { freePort, Installation, untilSaid } from '../support/installation.js'
import { eras, forumAgent } from './support/forum-agent.js'
import { adminOf, ForumInstallation, forumServer as forum, writing } from './support/forum-installation.js'

const remote = { tools: [{ name: 'prune', answer: () => ({ result: 'pruned' }) }] }

describe('the one forum of all sessions', () => {
  it('is looked at when the worker starts', async () => {
    const server = await forum({ basePath: '/forumA' })
    const installation = new Installation()
    await installation.hub()
    const worker = installation.spawn(['worker', 'forum', '--site', `${server.base}/`])
    await untilSaid(worker, worker.stderr, /signed in/)
    expect(server.seen(/^GET \/about\.json/)).toHaveLength(1)
  })

  it('that does not want us ends the worker with 2 and a line that names the flag', async () => {
    const server = await forum({ loginRequired: true })
    const installation = new Installation()
    await installation.hub()
    const { code, stdout, stderr } = await installation.run([
      'worker',
      'forum',
      '--site',
      server.base,
      '--log_level=error',
    ])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^callboard: --site: forum\.site: .+\.\n$/)
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  it('that shows our key in its refusal shows it to nobody else', async () => {
    const server = await forum()
    const { key, username } = server.keys.admin
    server.fault({ on: /about/, kind: 'echo', status: 403, times: Number.POSITIVE_INFINITY })
    const installation = new Installation()
    await installation.hub()
    const pairs = JSON.stringify([{ site: server.base, api_key: key, api_username: username }])
    const words = ['worker', 'forum', '--site', server.base, '--auth_pairs', pairs, '--log_level', 'debug']
    const { code, stderr } = await installation.run(words)
    expect(server.requests[0]?.headers['api-key']).toBe(key)
    expect(code).toBe(2)
    expect(stderr).not.toContain(key.slice(0, 8))
  })

  it('that can not be reached keeps nothing from starting', async () => {
    const installation = new Installation()
    await installation.hub()
    const site = `http://127.0.0.1:${await freePort()}`
    const worker = installation.spawn(['worker', 'forum', '--site', site])
    expect(await untilSaid(worker, worker.stderr, /signed in/)).toContain("can't be reached yet")
  })

  it.each([
    ['is not there', { kind: 'status', status: 404, json: { errors: ['No.'], error_type: 'not_found' } }],
    ['knows no such key', { kind: 'status', status: 403, json: { errors: ['The API key is invalid.'] } }],
    ['is a page for people', { kind: 'html' }],
    ['is something else', { kind: 'status', status: 200, json: [] }],
    ['has moved', { kind: 'redirect', location: 'https://elsewhere.example/about.json' }],
  ] as const)('that %s ends the worker with 2 and one line', async (_, fault) => {
    const server = await forum()
    server.fault({ on: /about/, times: Number.POSITIVE_INFINITY, ...fault })
    const installation = new ForumInstallation()
    await installation.hub()
    const { code, stdout, stderr } = await installation.run(['worker', 'forum', '--log_level=silent'], {
      CALLBOARD_FORUM__SITE: server.base,
    })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^callboard: CALLBOARD_FORUM__SITE: forum\.site: [^\n]+\.\n$/)
  })

  it.each(['ftp://forum.example', 'forum.example', 'https://ada:pw@forum.example', 'not a url'])(
    'that has a bad URL, too: %s',
    async (site) => {
      const { code, stdout, stderr } = await new ForumInstallation().run(['worker', 'forum', '--site', site])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^callboard: The configuration is not usable: --site: [^\n]+\.\n$/)
      expect(stderr).not.toContain('ada:pw')
    },
  )

  it('that comes after the worker serves all sessions when it is there, also with its own tools', async () => {
    const port = await freePort()
    const site = `http://127.0.0.1:${port}`
    const installation = new ForumInstallation({ config: { site } })
    await installation.hub()
    await installation.forum()
    const agents = [await forumAgent(installation, 'legacy', 'ada'), await forumAgent(installation, 'modern', 'bob')]
    const [ada, bob] = agents as [(typeof agents)[0], (typeof agents)[0]]
    expect(await ada.tools()).not.toContain('discourse_select_site')
    expect(await ada.refusal('discourse_search', { query: 'spoons' })).toMatchObject({ code: 'network_error' })
    await forum({ port, aiTools: remote })
    expect(await bob.ask('discourse_search', { query: 'spoons' })).toMatchObject({ results: [] })
    for (const agent of agents) {
      await vi.waitFor(async () => expect(await agent.tools()).toContain('remote_prune'), { timeout: 5_000 })
      expect(await agent.tools()).not.toContain('discourse_create_post')
    }
  }, 60_000)

  it('that is broken at the start keeps nothing from starting, and is tried again', async () => {
    const server = await forum()
    server.fault({
      on: /about/,
      kind: 'status',
      status: 502,
      html: '<html>Bad gateway</html>',
      times: Number.POSITIVE_INFINITY,
    })
    const installation = new ForumInstallation({
      config: { ...writing, site: server.base, auth_pairs: [adminOf(server)] },
    })
    await installation.hub()
    const worker = await installation.forum()
    expect(worker.said()).toContain("can't be reached yet")
    const agent = await forumAgent(installation, 'legacy', 'ada')
    expect(await agent.refusal('discourse_search', { query: 'spoons' })).toMatchObject({
      code: 'upstream_error',
      status: 502,
    })
    server.clearFaults()
    expect(await agent.ask('discourse_search', { query: 'spoons' })).toMatchObject({ results: [] })
    expect(await agent.tools()).toContain('discourse_create_post')
  }, 60_000)

  it.each(eras)(
    'has all its tools listed for a %s agent from the start',
    async (era) => {
      const server = await forum({ aiTools: remote })
      const installation = new ForumInstallation({
        config: { ...writing, site: server.base, auth_pairs: [adminOf(server)] },
      })
      await installation.hub()
      await installation.forum()
      const agent = await forumAgent(installation, era, 'ada')
      const tools = await agent.tools()
      expect(tools).toEqual(expect.arrayContaining(['remote_prune', 'discourse_create_post', 'discourse_search']))
      expect(tools).not.toContain('discourse_select_site')
      expect(await agent.ask('remote_prune')).toMatchObject({ result: 'pruned' })
      await expect(agent.call('discourse_select_site', { site: server.base })).rejects.toMatchObject({ code: -32602 })
    },
    60_000,
  )
})

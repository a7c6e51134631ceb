import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { forumAgent } from './support/forum-agent.js'
import { adminOf, ForumInstallation, type ForumProcess, forumServer } from './support/forum-installation.js'

const key = '3f9c0b7a5d1e8624f0a9b8c7d6e5f403'
const pairs = JSON.stringify([{ site: 'https://forum.example', api_key: key, api_username: 'system' }])

const configOf = ({ said }: ForumProcess) =>
  said()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { readonly msg: string; readonly config?: object })
    .find(({ msg }) => msg === 'config')?.config

describe('the flags of the forum worker', () => {
  const flags: readonly (readonly [name: string, value: string])[] = [
    ['auth_pairs', pairs],
    ['read_only', 'false'],
    ['allow_writes', 'true'],
    ['timeout_ms', '1234'],
    ['concurrency', '3'],
    ['cache_dir', '/tmp/of-no-effect'],
    ['log_level', 'debug'],
    ['tools_mode', 'tool_exec_api'],
    ['default_search', 'category:support tag:ai'],
    ['max_read_length', '777'],
  ]
  const inForce = {
    auth_pairs: [{ site: 'https://forum.example', kind: 'api_key', username: 'system' }],
    read_only: false,
    allow_writes: true,
    timeout_ms: 1234,
    concurrency: 3,
    log_level: 'debug',
    tools_mode: 'tool_exec_api',
    default_search: 'category:support tag:ai',
    max_read_length: 777,
  }

  it.each([
    ['with underscores', flags.flatMap(([name, value]) => [`--${name}`, value])],
    ['with hyphens', flags.flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, value])],
    ['in one word each', flags.map(([name, value]) => `--${name}=${value}`)],
  ])('may be written %s', async (_, words) => {
    const installation = new ForumInstallation()
    await installation.hub()
    expect(configOf(await installation.forum(words))).toMatchObject(inForce)
  })

  it('may be keys of a profile, or variables', async () => {
    const installation = new ForumInstallation()
    await installation.hub()
    const profile = join(installation.directory, 'forum.json')
    const values = flags.map(([name, value]) => [name, jsonOr(value)])
    writeFileSync(profile, JSON.stringify(Object.fromEntries(values)), { mode: 0o600 })
    expect(configOf(await installation.forum(['--profile', profile]))).toMatchObject(inForce)
    const variables = flags.map(([name, value]) => [`CALLBOARD_FORUM__${name.toUpperCase()}`, value])
    expect(configOf(await installation.forum([], Object.fromEntries(variables)))).toMatchObject(inForce)
  })

  it('replace a list of keys whole', async () => {
    const other = [{ site: 'https://other.example', api_key: 'a'.repeat(32), api_username: 'ada' }]
    const installation = new ForumInstallation({ config: { auth_pairs: other, concurrency: 2 } })
    await installation.hub()
    const { auth_pairs, concurrency } = configOf(await installation.forum(['--auth_pairs', pairs])) as typeof inForce
    expect({ auth_pairs, concurrency }).toEqual({ auth_pairs: inForce.auth_pairs, concurrency: 2 })
  })

  it('that are wrong are all named at once, and nothing of a key is', async () => {
    const installation = new ForumInstallation()
    const words = [
      ...['--timeout_ms', 'soon', '--concurrency=0', '--log-level', 'loud', '--tools_mode=all', '--site=ftp://x'],
      ...[
        '--max-read-length=1.5',
        '--read_only=perhaps',
        '--no_such',
        `--auth_pairs=[{"site":"x","api_key":"${key}"}]`,
      ],
    ]
    const { code, stdout, stderr } = await installation.run(['worker', 'forum', ...words])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const [first, ...lines] = stderr.trimEnd().split('\n')
    expect(first).toBe('callboard: The configuration is not usable:')
    for (const word of words.filter((word) => word.startsWith('--'))) {
      const flag = word.split('=')[0]!
      expect(lines.filter((line) => line.startsWith(`  ${flag}:`) || line.startsWith(`  ${flag}[`))).not.toEqual([])
    }
    for (const line of lines) expect(line).toMatch(/^ {2}--\S+: .+\.$/)
    expect(stderr).not.toContain(key.slice(0, 8))
  })

  it('do what they say', async () => {
    const server = await forumServer()
    const topic = server.forum.addTopic({ title: 'A topic of spoons', username: 'mayor', raw: 'x'.repeat(500) })
    const installation = new ForumInstallation()
    await installation.hub()
    await installation.forum([
      ...['--allow_writes', '--auth_pairs', JSON.stringify([adminOf(server)])],
      ...['--max-read-length', '10', '--default-search', 'category:general', '--tools_mode=discourse_api_only'],
    ])
    const agent = await forumAgent(installation, 'legacy', 'ada')
    await agent.select(server.base)
    expect(await agent.ask('discourse_read_post', { post_id: topic.posts[0]!.id })).toMatchObject({
      raw: 'x'.repeat(10),
      truncated: true,
    })
    await agent.call('discourse_search', { query: 'spoons' })
    const [search] = server.seen(/search/)
    expect(new URL(search!.path, server.base).searchParams.get('q')).toBe('category:general spoons')
    expect(server.seen(/ai\/tools/)).toEqual([])
    // Both flags are needed to write.
    expect(await agent.tools()).not.toContain('discourse_create_post')
  })
})

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

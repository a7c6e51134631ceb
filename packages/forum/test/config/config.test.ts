import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type ConfigSurroundings, ForumConfigError, maskedConfig, parseForumConfig } from '../../src/config.js'

const key = '3f9c0b7a5d1e8624f0a9b8c7d6e5f403'
const userKey = 'a1b2c3d4e5f60718293a4b5c6d7e8f90'
const admin = { site: 'https://forum.example', api_key: key, api_username: 'system' }
const user = { site: 'https://user.example', user_api_key: userKey, user_api_client_id: 'client-7' }

function problemsOf(section: unknown, surroundings?: ConfigSurroundings): readonly string[] {
  try {
    parseForumConfig(section, surroundings)
  } catch (error) {
    if (error instanceof ForumConfigError) return error.problems
    throw error
  }
  return []
}

describe('the section forum', () => {
  it('may be absent: then anybody reads any forum', () => {
    expect(parseForumConfig(undefined)).toEqual({
      readOnly: true,
      allowWrites: false,
      timeoutMs: 15_000,
      concurrency: 4,
      logLevel: 'info',
      toolsMode: 'auto',
      site: undefined,
      defaultSearch: undefined,
      maxReadLength: 50_000,
      allowedSites: [],
      allowedUploadPaths: [],
      remoteToolsNeedWrites: false,
      userAgent: 'Discourse-MCP/0.x (+https://github.com/discourse/discourse-mcp)',
      credentials: new Map(),
      secrets: [],
      warnings: [],
    })
  })

  it('is frozen', () => {
    const config = parseForumConfig({ allowed_sites: ['https://a.example'], auth_pairs: [admin] })
    for (const part of [config, config.allowedSites, config.allowedUploadPaths, config.secrets, config.warnings]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })

  it('has forums by their base, so that they can be compared', () => {
    const config = parseForumConfig({
      site: 'HTTPS://Forum.Example:443/Sub/?q=1#x',
      allowed_sites: ['https://forum.example/Sub', 'https://forum.example/Sub/', 'http://other.example:80'],
      auth_pairs: [{ ...admin, site: 'https://FORUM.example/Sub//' }],
    })
    expect(config.site).toBe('https://forum.example/Sub')
    expect(config.allowedSites).toEqual(['https://forum.example/Sub', 'http://other.example'])
    expect([...config.credentials.keys()]).toEqual(['https://forum.example/Sub'])
  })

  it('takes folders from the home directory on', () => {
    const config = parseForumConfig({ allowed_upload_paths: ['~/pictures', '/srv/x/', '~'] }, { home: '/home/ada' })
    expect(config.allowedUploadPaths).toEqual(['/home/ada/pictures', '/srv/x', '/home/ada'])
  })

  it.each([
    ['', undefined],
    ['  category:support ', 'category:support'],
  ])('searches with the prefix %j as %j', (default_search, defaultSearch) => {
    expect(parseForumConfig({ default_search }).defaultSearch).toBe(defaultSearch)
  })

  it.each([
    ['debug', undefined, 'debug'],
    ['silent', 'debug', 'silent'],
    [undefined, 'trace', 'debug'],
    [undefined, 'debug', 'debug'],
    [undefined, 'info', 'info'],
    [undefined, 'warn', 'info'],
    [undefined, 'error', 'error'],
    [undefined, 'fatal', 'error'],
    [undefined, 'silent', 'silent'],
    [undefined, 'loud', 'info'],
    [undefined, undefined, 'info'],
  ])('logs with log_level %s, in a program with %s, at %s', (log_level, logLevel, level) => {
    expect(parseForumConfig({ log_level }, { logLevel }).logLevel).toBe(level)
  })
})

describe('a mistake in the section', () => {
  it('is told with all others at once, with its place and in words', () => {
    const section = {
      alow_writes: true,
      'read-only': false,
      timeout_ms: '15000',
      log_level: 'warn',
      tools_mode: null,
      site: 'forum.example',
      allowed_sites: ['https://a.example', 7],
      auth_pairs: [{ site: 'ftp://x.example', api_ky: 'x', api_username: 'ada lovelace' }],
    }
    expect(problemsOf(section)).toEqual([
      'forum.auth_pairs[0].site: must be the URL of a forum, which begins with https:// or http://',
      'forum.auth_pairs[0].api_username: must be one word of ASCII characters',
      'forum.auth_pairs[0].api_ky: there is no such key (did you mean api_key?)',
      'forum.timeout_ms: must be a number',
      'forum.log_level: must be one of silent, error, info, debug',
      'forum.tools_mode: must be one of auto, discourse_api_only, tool_exec_api',
      'forum.site: must be the URL of a forum, which begins with https:// or http://',
      'forum.allowed_sites[1]: must be text',
      'forum.alow_writes: there is no such key (did you mean allow_writes?)',
      'forum.read-only: there is no such key (did you mean read_only?)',
      'forum.auth_pairs[0].api_key: must be set beside api_username: the key that an admin of the forum makes under /admin/api/keys',
    ])
  })

  it.each([[[]], ['text'], [7], [true]])('is the section %j itself', (section) => {
    expect(problemsOf(section)).toEqual(['forum: must be an object'])
  })

  it.each([
    ['timeout_ms', 99, 'must be at least 100'],
    ['timeout_ms', 120_001, 'must be at most 120000'],
    ['timeout_ms', 1500.5, 'must be a whole number'],
    ['concurrency', 0, 'must be at least 1'],
    ['concurrency', 33, 'must be at most 32'],
    ['max_read_length', 0, 'must be at least 1'],
    ['max_read_length', 500_001, 'must be at most 500000'],
    ['read_only', 'yes', 'must be true or false'],
    ['allow_writes', 1, 'must be true or false'],
    ['remote_tools_need_writes', 'perhaps', 'must be true or false'],
    ['cache_dir', 7, 'must be text'],
    ['default_search', 'x'.repeat(501), 'must have at most 500 characters'],
    ['user_agent', 'Callboard Mobile/1', 'must not have "Mobile" in it, for which forums make their pages shorter'],
    ['user_agent', 'Callboard/1\r\nX: y', 'must have ASCII characters only'],
    ['site', 'https://ada:pw@forum.example', /^must not have a user name or password in it/],
    ['allowed_upload_paths', '/srv', 'must be a list'],
    ['auth_pairs', { site: 'https://x.example' }, 'must be a list'],
    ['auth_pairs', '[{"site": ', /^must be a list, written as JSON: it is not JSON: there is a mistake at line 1/],
    ['auth_pairs', '[]', 'must be a list, written as JSON: it is text that holds one'],
  ])('%s: %j', (name, value, words) => {
    const problems = problemsOf({ [name]: value })
    const sentence = typeof words === 'string' ? words : expect.stringMatching(words)
    expect(problems.map((problem) => problem.replace(`forum.${name}: `, ''))).toEqual([sentence])
  })

  it.each([
    [100, 120_000],
    [1, 32],
  ])('is none at the ends of a range: %d and %d', (least, most) => {
    const name = least === 1 ? 'concurrency' : 'timeout_ms'
    expect([...problemsOf({ [name]: least }), ...problemsOf({ [name]: most })]).toEqual([])
  })

  it('is an upload folder whose place depends on who reads it', () => {
    expect(problemsOf({ allowed_upload_paths: ['pictures', '~ada/x'] })).toEqual([
      'forum.allowed_upload_paths[0]: must be an absolute path, or begin with ~/',
      'forum.allowed_upload_paths[1]: must be an absolute path, or begin with ~/',
    ])
    expect(problemsOf({ allowed_upload_paths: ['~/x'] })).toEqual([
      'forum.allowed_upload_paths[0]: ~ is nowhere: HOME is not set',
    ])
  })

  it('is a site that may not be selected', () => {
    const allowed_sites = ['https://a.example']
    expect(problemsOf({ site: 'https://b.example', allowed_sites })).toEqual([
      'forum.site: must be one of allowed_sites, where there are some',
    ])
    expect(problemsOf({ site: 'https://a.example/', allowed_sites })).toEqual([])
  })

  it('shows nothing of a value', () => {
    const section = {
      auth_pairs: [
        { site: key, api_key: `${key} ${key}`, api_username: `${key} x`, [`api_key=${key}`]: key },
        { ...admin, http_basic_user: `${key}:x`, http_basic_pass: 7 },
        key,
      ],
      [`auth_pairs=${key}${key}`]: 1,
      site: key,
      log_level: key,
      timeout_ms: key,
    }
    const told = problemsOf(section).join('\n')
    expect(told.split('\n')).toHaveLength(11)
    expect(told).not.toContain(key)
  })
})

describe('an entry of auth_pairs', () => {
  const site = 'https://x.example'

  it.each([
    [{ site, api_key: key }, 'api_username: must be set beside api_key: the user as whom the key acts, e.g. system'],
    [
      { site, user_api_key: key },
      'user_api_client_id: must be set beside user_api_key: the client_id with which the key was asked for',
    ],
    [
      { site, user_api_client_id: 'c' },
      'user_api_key: must be set beside user_api_client_id: the key that the forum gave for it',
    ],
    [
      { ...admin, http_basic_user: 'u' },
      'http_basic_pass: must be set beside http_basic_user: the password of that user',
    ],
    [
      { ...admin, http_basic_pass: 'pass' },
      'http_basic_user: must be set beside http_basic_pass: the user whose password it is',
    ],
    [
      { ...admin, user_api_key: key },
      'user_api_client_id: must be set beside user_api_key: the client_id with which the key was asked for',
    ],
    [{ ...admin, api_key: 'short' }, 'api_key: must have at least 8 characters'],
    [{ ...admin, http_basic_user: 'u', http_basic_pass: 'pw' }, 'http_basic_pass: must have at least 4 characters'],
    [{ api_key: key, api_username: 'system' }, 'site: must be set: must be text'],
  ])('is whole: %j', (pair, problem) => {
    expect(problemsOf({ auth_pairs: [pair] })).toEqual([`forum.auth_pairs[0].${problem}`])
  })

  it.each([{ site }, { site, http_basic_user: 'u', http_basic_pass: 'pass' }])('is somebody: %j', (pair) => {
    expect(problemsOf({ auth_pairs: [pair] })).toEqual([
      'forum.auth_pairs[0]: must have api_key with api_username, or user_api_key with user_api_client_id',
    ])
  })

  it('is the only one for its forum, however the address is written', () => {
    const again = { ...user, site: 'https://FORUM.example:443/' }
    expect(problemsOf({ auth_pairs: [admin, user, again] })).toEqual([
      'forum.auth_pairs[2].site: is the same forum as auth_pairs[0]: there must be one entry for it',
    ])
    expect(problemsOf({ auth_pairs: [admin, { ...user, site: 'https://forum.example/sub' }] })).toEqual([])
  })
})

describe('a credential', () => {
  const credentialOf = (pair: { readonly site: string }) =>
    parseForumConfig({ auth_pairs: [pair] }).credentials.get(pair.site)!

  it('of an admin key acts as its user, or as another', () => {
    const credential = credentialOf(admin)
    expect(credential).toMatchObject({ kind: 'api_key', username: 'system' })
    expect(credential.headers()).toEqual({ 'Api-Key': key, 'Api-Username': 'system' })
    expect(credential.headers('ada')).toEqual({ 'Api-Key': key, 'Api-Username': 'ada' })
  })

  it('of a user key is that user, whoever is asked for', () => {
    const credential = credentialOf(user)
    expect(credential).toMatchObject({ kind: 'user_api_key' })
    expect(credential.headers('ada')).toEqual({ 'User-Api-Key': userKey, 'User-Api-Client-Id': 'client-7' })
  })

  it('of both is the user key', () => {
    const both = { ...user, ...admin }
    expect(credentialOf(both).headers()).toEqual({ 'User-Api-Key': userKey, 'User-Api-Client-Id': 'client-7' })
    expect(parseForumConfig({ auth_pairs: [both] }).secrets).toEqual([key, userKey])
  })

  it('has the password of the web server with it', () => {
    const pair = { ...admin, http_basic_user: 'ada', http_basic_pass: 'pässwort' }
    const token = Buffer.from('ada:pässwort').toString('base64')
    expect(credentialOf(pair).headers()).toEqual({
      'Api-Key': key,
      'Api-Username': 'system',
      Authorization: `Basic ${token}`,
    })
    expect(parseForumConfig({ auth_pairs: [pair] }).secrets).toEqual([key, 'pässwort', token])
  })

  it('tells identities apart by its id, and shows nothing else to whoever prints it', () => {
    const others = [
      { ...admin, site: 'https://forum.example/b' },
      { ...admin, api_username: 'ada' },
      { ...admin, api_key: userKey },
      { ...user, site: admin.site },
      { ...user, site: admin.site, user_api_client_id: 'client-8' },
    ]
    const ids = [admin, ...others].map((pair) => credentialOf(pair).id)
    expect(new Set(ids).size).toBe(6)
    expect(credentialOf({ ...admin }).id).toBe(ids[0])
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/)
    expect(inspect(credentialOf(admin), { depth: null, showHidden: true })).not.toContain(key)
  })
})

describe('what an operator is told at the start', () => {
  it.each([
    [
      { allow_writes: true },
      ['allow_writes is true, but read_only is not false: nothing can be written. Set read_only to false, too.'],
    ],
    [
      { read_only: false },
      ['read_only is false, but allow_writes is not true: nothing can be written. Set allow_writes to true, too.'],
    ],
    [{ allow_writes: true, read_only: false }, []],
    [{}, []],
    [{ allow_writes: false, read_only: true }, []],
  ])('about %j', (section, warnings) => {
    expect(parseForumConfig(section).warnings).toEqual(warnings)
  })

  it.each([
    ['http://forum.example', 1],
    ['http://127.0.0.1:3000/forum', 0],
    ['http://localhost', 0],
    ['http://[::1]:3000', 0],
    ['https://forum.example', 0],
  ])('about keys for %s: %d', (site, count) => {
    const { warnings } = parseForumConfig({ auth_pairs: [{ ...admin, site }] })
    expect(warnings).toEqual(
      count === 0 ? [] : [`${site} does not begin with https://, so its keys are not sent: it is read as nobody.`],
    )
  })

  it('comes after what was found out before', () => {
    const { warnings } = parseForumConfig({ allow_writes: true }, { warnings: ['First.'] })
    expect(warnings).toEqual(['First.', expect.stringMatching(/^allow_writes/)])
  })
})

it('is shown without its keys and whatever begins them', () => {
  const pair = { ...admin, http_basic_user: 'ada', http_basic_pass: 'passw0rd' }
  const shown = maskedConfig(parseForumConfig({ auth_pairs: [pair, user], site: admin.site, default_search: 'tag:x' }))
  expect(shown).toMatchObject({
    auth_pairs: [
      { site: 'https://forum.example', kind: 'api_key', username: 'system' },
      { site: 'https://user.example', kind: 'user_api_key' },
    ],
    read_only: true,
    site: 'https://forum.example',
    default_search: 'tag:x',
  })
  for (const secret of [key, userKey, 'passw0rd']) expect(JSON.stringify(shown)).not.toContain(secret.slice(0, 4))
})

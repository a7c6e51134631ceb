import { describe, expect, it } from 'vitest'
import { parseSocialConfig, SocialConfigError, socialConfigKeys } from '../../src/config.js'

function problemsOf(section: unknown): readonly string[] {
  try {
    parseSocialConfig(section)
  } catch (error) {
    if (error instanceof SocialConfigError) return error.problems
    throw error
  }
  return []
}

const business = { product_name: 'Spoon', product_keywords: ['cutlery'] }
const bluesky = { enabled: true, handle: 'ada.example', app_password: 'abcd-efgh' }
const mastodon = { enabled: true, base_url: 'https://example.org', access_token: 't0ken' }
const x = { enabled: true, client_id: 'id', access_token: 't0ken' }

describe('the section social', () => {
  it('may be absent: then somebody composes on the built-in network, and a person approves', () => {
    const config = parseSocialConfig(undefined)
    expect(config).toMatchObject({
      mode: 'composer',
      approval_mode: true,
      networks: ['local'],
      isDefaultProfile: true,
      business: { product_name: 'Callboard' },
      approval: { ttl_hours: 24, max_batch: 10 },
      scoring: { threshold: 60, keyword_saturation: 3 },
      limits: {
        max_replies_per_day: 5,
        max_tweets_per_day: 6,
        max_threads_per_week: 1,
        min_action_delay_seconds: 45,
        max_action_delay_seconds: 180,
        max_replies_per_author_per_day: 1,
        max_target_replies_per_day: 3,
        product_mention_ratio: 0.2,
        banned_phrases: [],
      },
      intervals: { discovery_seconds: 900, mentions_seconds: 300, content_seconds: 10_800, thread_seconds: 604_800 },
      llm: { provider: 'none', templates: true },
      mastodon: { enabled: false, visibility: 'public' },
      local: { handle: 'you' },
      media: { roots: [] },
      targets: { accounts: [] },
      storage: { retention_days: 90 },
      schedule: { timezone: 'UTC', active_hours_start: 8, active_hours_end: 22 },
    })
    expect(config.schedule.active_days).toHaveLength(7)
  })

  it('is frozen to the ground', () => {
    const config = parseSocialConfig({ business })
    for (const part of [config, config.business, config.business.product_keywords, config.networks, config.limits]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })

  it('tells every mistake at once, in words, with the key', () => {
    expect(
      problemsOf({
        mode: 'auto',
        approval_mod: false,
        api_key: 'x',
        business: { product_name: '', product_keywords: ['a', 7] },
        scoring: { threshold: 101, folower_max: 3 },
        limits: { max_replies_per_day: 1.5, min_action_delay_seconds: 200 },
        llm: { provider: 'openai', modl: 'm' },
        bluesky: { enabled: true, pds_url: 'ftp://x' },
        schedule: { timezone: 'Mars/X', preferred_times: ['9:30'] },
        storage: null,
        default_network: 'x',
      }),
    ).toEqual([
      'social.mode: must be one of autopilot, composer',
      'social.business.product_name: must not be empty',
      'social.business.product_keywords[1]: must be text',
      'social.scoring.threshold: must be at most 100',
      'social.scoring.folower_max: there is no such key (did you mean follower_max?)',
      'social.limits.max_replies_per_day: must be a whole number',
      'social.llm.modl: there is no such key (did you mean model?)',
      'social.bluesky.pds_url: must be a URL that begins with https:// or http://',
      'social.storage: must be an object',
      'social.schedule.timezone: must be an IANA name, like Europe/Paris',
      'social.schedule.preferred_times[0]: must be a time of day, like 09:30',
      'social.approval_mod: there is no such key (did you mean approval_mode?)',
      'social.api_key: there is no such key (did you mean llm.api_key?)',
      'social.limits.min_action_delay_seconds: must be at most max_action_delay_seconds',
      'social.llm.model: must be set where llm.provider is openai: there is no default',
      'social.llm.api_key: must be set where llm.provider is openai, or api_key_file with a file that holds it',
      'social.bluesky.handle: must be set where bluesky.enabled is true',
      'social.bluesky.app_password: must be set where bluesky.enabled is true, or app_password_file with a file that holds it',
      'social.default_network: x is not switched on (there is bluesky): set x.enabled to true',
    ])
  })

  it.each([[[]], ['text'], [7], [true]])('must be an object, not %j', (section) => {
    expect(problemsOf(section)).toEqual(['social: must be an object'])
  })

  it('says that a key is missing', () => {
    expect(problemsOf({ business: { product_keywords: ['a'] } })).toEqual([
      'social.business.product_name: must be set: must be text',
    ])
  })

  it.each([
    { llm: 'text' },
    { business: 'text' },
    { business: [] },
    { business: null },
    { targets: { accounts: 'ada' } },
    { targets: { accounts: [7, null] } },
    { scoring: { threshold: null } },
    { limits: { min_action_delay_seconds: 'long', max_action_delay_seconds: {} } },
    { bluesky: { enabled: 'yes' } },
    { local: { enabled: 0 } },
    { llm: { provider: ['openai'] } },
    { schedule: { active_hours_start: [], active_hours_end: null } },
  ])('takes no value of another kind: %j', (section) => {
    const problems = problemsOf(section)
    expect(problems.length).toBeGreaterThan(0)
    for (const problem of problems) expect(problem).toMatch(/^social\.[a-z_.[\]0-9]+: must /)
  })

  it('never shows a value, which may be a secret', () => {
    const secret = 's3cret value'
    const problems = problemsOf({
      llm: { provider: secret, base_url: `http://${secret}`, api_key: secret, model: '' },
      bluesky: { enabled: true, app_password: secret.repeat(99), handle: secret },
      mastodon: { enabled: true, access_token: [secret], base_url: 'https://ada:s3cret@x.example' },
    })
    expect(problems.length).toBeGreaterThan(6)
    expect(problems.join()).not.toContain('s3cret')
  })

  it('keeps a sentence short where a key is long', () => {
    expect(problemsOf({ ['k'.repeat(100_000)]: 1 })[0]!.length).toBeLessThan(120)
  })

  it('has these keys beside those of the sections', () => {
    const paths = socialConfigKeys.map(({ path }) => path)
    expect(paths.filter((path) => !path.includes('.'))).toEqual(
      `mode approval_mode default_network business approval scoring limits intervals llm bluesky mastodon x local media
      targets storage schedule`.split(/\s+/),
    )
    const kinds = new Map(socialConfigKeys.map(({ path, kind }) => [path, kind]))
    expect(Object.fromEntries(kinds)).toMatchObject({
      mode: 'text',
      approval_mode: 'truth',
      business: 'any',
      'business.product_keywords': 'list',
      'llm.api_key': 'text',
      'local.enabled': 'truth',
      'x.daily_budget_usd': 'number',
      'limits.max_replies_per_day': 'number',
      'targets.accounts': 'list',
      'schedule.thread_preferred_day': 'text',
    })
    expect(kinds.size).toBe(socialConfigKeys.length)
    expect(socialConfigKeys.filter(({ kind, path }) => kind === 'any' && path.includes('.'))).toEqual([])
  })
})

describe('what keys mean for each other', () => {
  it.each([
    [{ limits: { min_action_delay_seconds: 181 } }, 'limits.min_action_delay_seconds'],
    [{ schedule: { active_days: [] } }, 'schedule.active_days'],
    [{ default_network: 'bluesky' }, 'default_network'],
    [{ business, bluesky, default_network: 'local' }, 'default_network'],
    [{ local: { enabled: false } }, 'local.enabled'],
    [{ business: { product_name: 'Spoon' } }, 'business.product_keywords'],
    [{ bluesky }, 'business'],
    [{ mastodon }, 'business'],
    [{ x }, 'business'],
    [{ business, bluesky: { ...bluesky, handle: undefined } }, 'bluesky.handle'],
    [{ business, bluesky: { ...bluesky, app_password: undefined } }, 'bluesky.app_password'],
    [{ business, mastodon: { ...mastodon, base_url: undefined } }, 'mastodon.base_url'],
    [{ business, mastodon: { ...mastodon, access_token: undefined } }, 'mastodon.access_token'],
    [{ business, x: { ...x, client_id: undefined } }, 'x.client_id'],
    [{ business, x: { ...x, access_token: undefined } }, 'x.access_token'],
    [{ llm: { provider: 'anthropic', api_key: 'k' } }, 'llm.model'],
    [{ llm: { provider: 'groq', model: 'm' } }, 'llm.api_key'],
    [{ mastodon: { access_token: 't', access_token_file: 'f' } }, 'mastodon.access_token_file'],
    [{ llm: { api_key: 't', api_key_file: 'f' } }, 'llm.api_key_file'],
    [{ targets: { accounts: ['mastodn:ada'] } }, 'targets.accounts[0]'],
    [{ targets: { accounts: ['ada', 'x:ada'] } }, 'targets.accounts[1]'],
    [{ media: { roots: ['pictures'] } }, 'media.roots[0]'],
    [
      {
        scoring: Object.fromEntries(
          ['keyword_relevance', 'follower', 'recency', 'engagement', 'reply_count', 'content_type'].map((name) => [
            `${name}_max`,
            0,
          ]),
        ),
      },
      'scoring',
    ],
  ])('%j is one mistake', (section, key) => {
    expect(problemsOf(section)).toEqual([expect.stringContaining(`social.${key}: `)])
  })

  it.each([
    { business, bluesky, mastodon, x, default_network: 'mastodon' },
    { business, bluesky, local: { enabled: true }, default_network: 'local' },
    { business: { product_name: 'Spoon', competitor_keywords: ['fork'] } },
    { business, bluesky: { enabled: true, handle: '@ada.example', app_password_file: 'bluesky.secret' } },
    { business, x: { enabled: true, client_id: 'id', refresh_token_file: 'x.secret' } },
    { llm: { provider: 'ollama', model: 'm', base_url: 'http://localhost:11434/v1' } },
    { limits: { min_action_delay_seconds: 60, max_action_delay_seconds: 60 } },
    { schedule: { active_hours_start: 22, active_hours_end: 6 } },
    { schedule: { active_hours_start: 0, active_hours_end: 24 } },
    { schedule: { active_hours_start: 9, active_hours_end: 9 } },
    { schedule: { thread_preferred_time: '09:30' } },
    { business, x, targets: { accounts: ['X:@Ada'] } },
    { schedule: { thread_preferred_day: 'mon' } },
    { targets: { accounts: ['did:plc:ada', 'local:ada', '@ada@example.org'] } },
    { bluesky: { app_password: 'kept for later' } },
  ])('%j is right', (section) => {
    expect(problemsOf(section)).toEqual([])
  })

  it.each([
    'https://example.org',
    'https://example.org/v1/',
    'http://127.0.0.1:8080',
    'http://[::1]',
    'http://localhost',
  ])('sends tokens to %s', (base_url) => {
    expect(
      problemsOf({ mastodon: { base_url }, llm: { base_url }, x: { base_url }, bluesky: { pds_url: base_url } }),
    ).toEqual([])
  })

  it.each([
    'http://example.org',
    'http://10.0.0.1',
    'http://127.0.0.1.example.org',
    'http://localhost.example.org',
    'https://ada:pw@example.org',
    'https://example.org/?key=1',
    'https://example.org/#x',
    'ftp://example.org',
    'example.org',
  ])('sends no token to %s', (url) => {
    expect(
      problemsOf({
        mastodon: { base_url: url },
        llm: { base_url: url },
        x: { base_url: url },
        bluesky: { pds_url: url, appview_url: url },
      }),
    ).toHaveLength(5)
  })

  it('puts the default network first', () => {
    const networksOf = (section: object) => parseSocialConfig({ business, ...section }).networks
    expect(networksOf({ bluesky, mastodon, x })).toEqual(['bluesky', 'mastodon', 'x'])
    expect(networksOf({ bluesky, mastodon, x, default_network: 'x' })).toEqual(['x', 'bluesky', 'mastodon'])
    expect(networksOf({ mastodon, local: { enabled: true } })).toEqual(['mastodon', 'local'])
    expect(networksOf({})).toEqual(['local'])
  })

  it('takes handles with and without @', () => {
    const { local, targets } = parseSocialConfig({
      local: { handle: '@you' },
      targets: { accounts: ['@ada@x.example'] },
    })
    expect({ local, targets }).toMatchObject({ local: { handle: 'you' }, targets: { accounts: ['ada@x.example'] } })
  })
})

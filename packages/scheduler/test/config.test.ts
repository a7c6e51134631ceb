import { describe, expect, it } from 'vitest'
import { parseSchedulerConfig, SchedulerConfigError, schedulerConfigKeys } from '../src/config.js'

function problemsOf(section: unknown): readonly string[] {
  try {
    parseSchedulerConfig(section)
  } catch (error) {
    if (error instanceof SchedulerConfigError) return error.problems
    throw error
  }
  return []
}

const mail = { smtp_url: 'smtps://bot:s3cret@mail.example.org', mail_address: 'bot@example.org' }

describe('the section scheduler', () => {
  it('may be absent', () => {
    expect(parseSchedulerConfig(undefined)).toMatchObject({
      max_trigger_depth: 3,
      trigger_cooldown_ms: 60_000,
      max_triggers_per_hour: 60,
      lease_ms: 30_000,
      digest_interval_ms: 7_200_000,
      trigger_transport: 'mail',
    })
  })

  it('has these keys', () => {
    const keys = `groups_file groups_dir scheduler_tz
      notification_email mail_address mail_hmac_key smtp_url smtp_tls_ca imap_url imap_tls_ca imap_mailbox imap_poll_ms trusted_authserv_id
      notify_review digest_interval_ms trigger_transport max_trigger_depth trigger_cooldown_ms max_triggers_per_hour
      min_interval_ms missed_grace_ms max_concurrent_runs max_attempts auto_pause_after run_timeout_ms lease_ms
      search_provider searxng_url brave_api_key brave_url perplexity_api_key perplexity_url search_chat social_post_tool`
    expect([...schedulerConfigKeys].sort()).toEqual(keys.split(/\s+/).sort())
  })

  it.each(['smtp_url', 'imap_url'])('%s says where a server is, and nothing else', (key) => {
    const scheme = key.slice(0, 4)
    const problems = (value: string) => problemsOf({ mail_address: 'bot@example.org', [key]: value })
    expect(problems(`${scheme}s://bot:secret@mail.example.org:1025/`)).toEqual([])
    for (const end of ['/INBOX', '?tls.rejectUnauthorized=false', '#x']) {
      expect(problems(`${scheme}s://mail.example.org${end}`)).toEqual([
        `scheduler.${key}: must end after host and port: take off what begins with /, ? or #`,
      ])
    }
  })

  it('is frozen', () => {
    const config = parseSchedulerConfig({ search_chat: { base_url: 'http://127.0.0.1:11434/v1', model: 'm' } })
    expect(Object.isFrozen(config)).toBe(true)
    expect(Object.isFrozen(config.search_chat)).toBe(true)
  })

  it('tells every mistake at once', () => {
    expect(
      problemsOf({
        max_attempts: 0,
        lease_ms: '30000',
        imap_poll_ms: 1.5,
        scheduler_tz: 'EST5EDT,M3',
        notify_review: 'yes',
        mail_hmac_key: 'short',
        max_trigger_dept: 4,
        imap_url: 'imaps://mail.example.org',
        search_provider: 'brave',
      }),
    ).toEqual([
      'scheduler.scheduler_tz: must be an IANA name, like Europe/Paris',
      'scheduler.mail_hmac_key: must have at least 32 bytes: make one with openssl rand -base64 32',
      'scheduler.imap_poll_ms: must be a whole number',
      'scheduler.notify_review: must be one of off, admin',
      'scheduler.max_attempts: must be at least 1',
      'scheduler.lease_ms: must be a number',
      'scheduler.max_trigger_dept: there is no such key (did you mean max_trigger_depth?)',
      'scheduler.mail_address: must be set where imap_url is: it is the address of that mailbox',
      'scheduler.brave_api_key: must be set where search_provider is brave',
    ])
  })

  it.each([
    { ...mail, smtp_url: 'http://x' },
    { ...mail, smtp_url: 7 },
  ])('never shows a value, which may hold a password', (section) => {
    const [problem, ...others] = problemsOf({ ...section, brave_api_key: 7, notification_email: 'not s3cret' })
    expect(problem).toEqual(expect.stringContaining('scheduler.notification_email: must be one mail address'))
    expect([problem, ...others].join()).not.toContain('s3cret')
    expect(others).toHaveLength(2)
  })

  it.each(['UTC', 'Europe/Paris', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])('takes the zone %s', (zone) => {
    expect(parseSchedulerConfig({ scheduler_tz: zone }).scheduler_tz).toBe(zone)
  })

  it.each(['IST-2', '+05:30', 'Mars/X', ':Europe/Paris', ''])('takes no zone %j', (zone) => {
    expect(problemsOf({ scheduler_tz: zone })).toContainEqual(expect.stringContaining('scheduler.scheduler_tz: '))
  })

  it('counts the bytes of the key, not its characters', () => {
    expect(problemsOf({ mail_hmac_key: 'ä'.repeat(16) })).toEqual([])
    expect(problemsOf({ mail_hmac_key: 'a'.repeat(31) })).toHaveLength(1)
  })

  it.each([
    [{ smtp_url: 'smtp://127.0.0.1:2525' }, 'scheduler.mail_address'],
    [{ notification_email: 'ada@example.org' }, 'scheduler.notification_email'],
    [{ search_provider: 'searxng' }, 'scheduler.searxng_url'],
    [{ search_provider: 'perplexity' }, 'scheduler.perplexity_api_key'],
  ])('wants what %o is of no use without', (section, key) => {
    expect(problemsOf(section)).toEqual([expect.stringContaining(`${key}: `)])
  })

  it('is content with mail that is complete', () => {
    expect(problemsOf({ ...mail, notification_email: 'ada@example.org' })).toEqual([])
    expect(problemsOf({ search_provider: 'searxng', searxng_url: 'http://127.0.0.1:8080' })).toEqual([])
  })

  it.each([[[]], ['text'], [null], [7]])('must be an object, not %j', (section) => {
    if (section === null) expect(problemsOf(section)).toEqual([])
    else expect(problemsOf(section)).toEqual(['scheduler: must be an object'])
  })

  it('knows the keys of search_chat', () => {
    expect(problemsOf({ search_chat: { base_url: 'ftp://x', modl: 'm', key_env: 'not a name' } })).toEqual([
      'scheduler.search_chat.base_url: must be a URL that begins with http:// or https://',
      'scheduler.search_chat.model: must be text',
      'scheduler.search_chat.key_env: must be the name of an environment variable',
      'scheduler.search_chat.modl: there is no such key (did you mean model?)',
    ])
  })
})

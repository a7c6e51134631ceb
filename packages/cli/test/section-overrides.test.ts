import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mergeSections, type OverriddenWorker, sectionOverrides } from '../src/section-overrides.js'
import { Installation } from './support/installation.js'

const named = (...paths: string[]) => paths.map((path) => ({ path }))
const keysOf = async () => named('memoryMiB', 'sandboxNetwork', 'sandboxPaths', 'python')
const read = (variables: Record<string, string>) => sectionOverrides(variables, [{ name: 'kernel', keys: keysOf }])

describe('variables that override the section of a worker', () => {
  it.each([
    ['CALLBOARD_KERNEL__MEMORY_MIB', '1024', { memoryMiB: 1024 }],
    ['CALLBOARD_KERNEL__memoryMiB', '1024', { memoryMiB: 1024 }],
    ['CALLBOARD_KERNEL__SANDBOX_NETWORK', 'true', { sandboxNetwork: true }],
    ['CALLBOARD_KERNEL__SANDBOXPATHS', '{"readable": ["/data"]}', { sandboxPaths: { readable: ['/data'] } }],
    ['CALLBOARD_KERNEL__PYTHON', '/usr/bin/python3', { python: '/usr/bin/python3' }],
    ['CALLBOARD_KERNEL__COLOUR', 'red', { COLOUR: 'red' }],
  ])('%s=%s', async (variable, value, section) => {
    const { sections, variables } = await read({ [variable]: value })
    expect(sections).toEqual({ kernel: section })
    expect([...variables.values()]).toEqual([variable])
  })

  it.each([
    ['12345678901234567890123456789012', '12345678901234567890123456789012'],
    ['0123', '0123'],
    ['1e5', '1e5'],
    ['1.0', '1.0'],
    ['-7', -7],
    ['0.5', 0.5],
    ['"7"', '7'],
  ])('a number is one only as JSON writes it: %s', async (value, expected) => {
    expect((await read({ CALLBOARD_KERNEL__PYTHON: value })).sections).toEqual({ kernel: { python: expected } })
  })

  it('need no prefix where the worker takes bare names, and with it they win', async () => {
    const scheduler = {
      name: 'scheduler',
      keys: async () => named('smtp_url', 'imap_url', 'lease_ms'),
      takesBareNames: true,
    }
    const { sections, variables } = await sectionOverrides(
      {
        SMTP_URL: 'smtp://bare',
        IMAP_URL: 'imap://bare',
        CALLBOARD_SCHEDULER__IMAP_URL: 'imap://prefixed',
        LEASE_MS: '5000',
        smtp_url: 'smtp://small',
        SMTP_URLS: 'smtp://other',
      },
      [scheduler],
    )
    expect(sections).toEqual({
      scheduler: { smtp_url: 'smtp://bare', imap_url: 'imap://prefixed', lease_ms: 5_000 },
    })
    expect(Object.fromEntries(variables)).toEqual({
      'scheduler.smtp_url': 'SMTP_URL',
      'scheduler.imap_url': 'CALLBOARD_SCHEDULER__IMAP_URL',
      'scheduler.lease_ms': 'LEASE_MS',
    })
    expect((await sectionOverrides({ SMTP_URL: '', IMAP_URL: '' }, [scheduler])).sections).toEqual({})
    expect((await sectionOverrides({ PYTHON: 'x' }, [{ name: 'kernel', keys: keysOf }])).sections).toEqual({})
  })

  it('of bare names are named where they are wrong', async () => {
    const installation = new Installation({ CALLBOARD_WORKERS: 'scheduler' })
    const wrong = await installation.run(['up'], { SMTP_URL: 'http://x', LEASE_MS: 'long' })
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('SMTP_URL: scheduler.smtp_url: must be a URL that begins with smtp:// or smtps://')
    expect(wrong.stderr).toContain('LEASE_MS: scheduler.lease_ms: ')
  })

  it('are none of other programs, and none when empty', async () => {
    expect((await read({ CALLBOARD_KERNEL: '1', CALLBOARD_KERNEL__PYTHON: '', KERNEL__PYTHON: 'x' })).sections).toEqual(
      {},
    )
  })

  it('win over the file, and are named where they are wrong', async () => {
    const installation = new Installation({ CALLBOARD_WORKERS: 'kernel' })
    mkdirSync(installation.data, { mode: 0o700 })
    writeFileSync(
      join(installation.data, 'callboard.config.json'),
      '{"kernel": {"maxKernels": "many", "openFiles": 1}}',
    )
    const wrong = await installation.run(['up'], {
      CALLBOARD_KERNEL__MAX_KERNELS: '0',
      CALLBOARD_KERNEL__COLOUR: 'red',
    })
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('CALLBOARD_KERNEL__MAX_KERNELS: kernel.maxKernels: must be at least 1.')
    expect(wrong.stderr).toMatch(/callboard\.config\.json: kernel\.openFiles: must be at least 64\./)
    expect(wrong.stderr).toMatch(/unknown key COLOUR/)
  })
})

describe('variables that override keys of sections in a section', () => {
  const social: OverriddenWorker = {
    name: 'social',
    keys: async () => [
      { path: 'mode', kind: 'text' },
      { path: 'approval_mode', kind: 'truth' },
      { path: 'llm', kind: 'any' },
      { path: 'llm.api_key', kind: 'text' },
      { path: 'llm.model', kind: 'text' },
      { path: 'scoring.threshold', kind: 'number' },
      { path: 'business.product_keywords', kind: 'list' },
    ],
    otherPrefix: 'OTHER_',
  }
  const sectionOf = async (variables: Record<string, string>) =>
    (await sectionOverrides(variables, [social])).sections['social']

  it.each([
    ['MODE', 'autopilot', { mode: 'autopilot' }],
    ['APPROVAL_MODE', 'False', { approval_mode: false }],
    ['APPROVAL_MODE', '1', { approval_mode: true }],
    ['APPROVAL_MODE', 'perhaps', { approval_mode: 'perhaps' }],
    ['LLM__API_KEY', '123456', { llm: { api_key: '123456' } }],
    ['LLM__API_KEY', '{"a": 1}', { llm: { api_key: '{"a": 1}' } }],
    ['llm__apikey', 'k', { llm: { api_key: 'k' } }],
    ['SCORING__THRESHOLD', '72.5', { scoring: { threshold: 72.5 } }],
    ['SCORING__THRESHOLD', '0x10', { scoring: { threshold: '0x10' } }],
    ['BUSINESS__PRODUCT_KEYWORDS', 'rust, cli tools,, ', { business: { product_keywords: ['rust', 'cli tools'] } }],
    ['BUSINESS__PRODUCT_KEYWORDS', '["a, b", "c"]', { business: { product_keywords: ['a, b', 'c'] } }],
    ['BUSINESS__PRODUCT_KEYWORDS', '["a', { business: { product_keywords: '["a' } }],
    ['LLM', '{"model": "m"}', { llm: { model: 'm' } }],
    ['LLM__MODL', 'm', { llm: { MODL: 'm' } }],
    ['LLM__API__KEY', 'm', { llm: { API__KEY: 'm' } }],
    ['NOBODY__KNOWS', '7', { NOBODY__KNOWS: 7 }],
    ['__PROTO__', 'x', { __PROTO__: 'x' }],
  ])('CALLBOARD_SOCIAL__%s=%s', async (name, value, section) => {
    expect(await sectionOf({ [`CALLBOARD_SOCIAL__${name}`]: value })).toEqual(section)
  })

  it('of a key win over those of its whole section', async () => {
    const variables = { CALLBOARD_SOCIAL__LLM__MODEL: 'own', CALLBOARD_SOCIAL__LLM: '{"model": "m", "api_key": "k"}' }
    expect(await sectionOf(variables)).toEqual({ llm: { model: 'own', api_key: 'k' } })
    expect(await sectionOf({ ...variables, CALLBOARD_SOCIAL__LLM: '7' })).toEqual({ llm: 7 })
  })

  it('may be those of another program, for keys of the same names; the own ones win', async () => {
    const { sections, variables } = await sectionOverrides(
      {
        OTHER_MODE: 'autopilot',
        OTHER_LLM__API_KEY: 'other',
        OTHER_LLM__MODEL: 'other',
        OTHER_X_API__CLIENT_ID: 'nobody asked',
        CALLBOARD_SOCIAL__LLM__MODEL: 'own',
      },
      [social],
    )
    expect(sections['social']).toEqual({ mode: 'autopilot', llm: { api_key: 'other', model: 'own' } })
    expect(Object.fromEntries(variables)).toEqual({
      'social.mode': 'OTHER_MODE',
      'social.llm.api_key': 'OTHER_LLM__API_KEY',
      'social.llm.model': 'CALLBOARD_SOCIAL__LLM__MODEL',
    })
  })

  it('leave the rest of the file as it is, and what is wrong in it wrong', () => {
    const given = { social: { llm: { model: 'm' }, mode: 'composer' } }
    expect(mergeSections({ http: 'off', social: { llm: { api_key: 'k' }, local: {} } }, given)).toEqual({
      http: 'off',
      social: { llm: { api_key: 'k', model: 'm' }, local: {}, mode: 'composer' },
    })
    expect(mergeSections({ social: { llm: 'wrong' } }, given)).toEqual({ social: { llm: 'wrong', mode: 'composer' } })
    expect(mergeSections({ social: [] }, given)).toEqual({ social: [] })
  })

  it('are named where they are wrong, and so is the file', async () => {
    const installation = new Installation({ CALLBOARD_WORKERS: 'social' })
    mkdirSync(installation.data, { mode: 0o700 })
    writeFileSync(
      join(installation.data, 'callboard.config.json'),
      '{"social": {"limits": {"max_tweets_per_day": -1}}}',
    )
    const { code, stderr } = await installation.run(['up'], {
      CALLBOARD_SOCIAL__SCORING__THRESHOLD: '101',
      CALLBOARD_SOCIAL__LLM__MODL: 'm',
      CALLBOARD_SOCIAL__TARGETS: '{"accounts": [""]}',
      CALLBOARD_SOCIAL__BUSINESS__PRODUCT_KEYWORDS: 'a',
      TUITBOT_LLM__PROVIDER: 'opnai',
      TUITBOT_SCHEDULE__PREFERRED_TIMES: 'noon',
      TUITBOT_X_API__CLIENT_ID: 'of no use here',
    })
    const file = join(installation.data, 'callboard.config.json')
    expect({ code, lines: stderr.split('\n') }).toEqual({
      code: 2,
      lines: [
        'callboard: The configuration is not usable:',
        `  ${file}: social.business.product_name: must be set: must be text.`,
        '  CALLBOARD_SOCIAL__SCORING__THRESHOLD: social.scoring.threshold: must be at most 100.',
        `  ${file}: social.limits.max_tweets_per_day: must be at least 0.`,
        '  TUITBOT_LLM__PROVIDER: social.llm.provider: must be one of openai, groq, ollama, anthropic, none.',
        '  CALLBOARD_SOCIAL__LLM__MODL: social.llm.MODL: there is no such key (did you mean model?).',
        '  CALLBOARD_SOCIAL__TARGETS: social.targets.accounts[0]: must not be empty.',
        '  TUITBOT_SCHEDULE__PREFERRED_TIMES: social.schedule.preferred_times[0]: must be a time of day, like 09:30.',
        '',
      ],
    })
  })

  it('may name files of secrets, which the worker reads when it starts', async () => {
    const installation = new Installation({ CALLBOARD_WORKERS: 'social' })
    mkdirSync(installation.data, { mode: 0o700 })
    writeFileSync(join(installation.data, 'key'), 's3cret', { mode: 0o644 })
    const variables = {
      CALLBOARD_SOCIAL__LLM__PROVIDER: 'groq',
      CALLBOARD_SOCIAL__LLM__MODEL: 'm',
      CALLBOARD_SOCIAL__LLM__API_KEY_FILE: 'key',
    }
    const { code, stderr } = await installation.run(['up'], variables)
    expect(code).toBe(2)
    expect(stderr).toContain(
      `social.llm.api_key_file: ${installation.data}/key is open to other users: run chmod 600 ${installation.data}/key`,
    )
    expect(installation.processes()).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { parseForumConfig } from '../../src/config.js'
import { forumLog, type Log, logStart } from '../../src/log.js'
import { SecretRedactor } from '../../src/secrets/secret-redactor.js'

const key = '3f9c0b7a5d1e8624f0a9b8c7d6e5f403'

interface Line {
  readonly level: number
  readonly msg: string
  readonly config?: object
}

function logAt(level: 'silent' | 'error' | 'info' | 'debug'): {
  readonly log: Log
  lines(): readonly Line[]
  text(): string
} {
  let text = ''
  const write = (line: string) => {
    text += line
  }
  const log = forumLog(level, new SecretRedactor([key]), { write })
  return {
    log,
    text: () => text,
    lines: () =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
  }
}

describe('the log', () => {
  it.each([
    ['silent', []],
    ['error', ['error']],
    ['info', ['info', 'warn', 'error']],
    ['debug', ['debug', 'info', 'warn', 'error']],
  ] as const)('at %s shows %j', (level, shown) => {
    const { log, lines } = logAt(level)
    for (const own of ['debug', 'info', 'warn', 'error'] as const) log[own]({}, own)
    expect(lines().map(({ msg }) => msg)).toEqual(shown)
  })

  it('has lines of JSON, with whose they are', () => {
    const { log, lines } = logAt('info')
    log.info({ site: 'https://x.example', count: 7, none: null, big: 8n }, 'said "it"')
    expect(lines()).toEqual([
      expect.objectContaining({
        name: 'forum',
        level: 30,
        site: 'https://x.example',
        count: 7,
        big: '8',
        msg: 'said "it"',
      }),
    ])
  })

  it('shows no secret, wherever it is', () => {
    const { log, lines, text } = logAt('debug')
    const error = new Error(`refused ${key}`, { cause: new TypeError(`because of ${key}`) })
    const many = new AggregateError([error], key)
    Object.assign(error, { code: 'EX', request: { headers: { 'Api-Key': key } } })
    const details = {
      err: error,
      many,
      inner: { errors: [error, `${key.slice(0, 12)}…`] },
      map: new Map([[key, new Set([key])]]),
      url: new URL(`https://x.example/?api_key=${key}`),
      bytes: Buffer.from(key),
      [key]: () => key,
    }
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](details, `with ${key} and "${key}`)
    expect(lines()).toHaveLength(4)
    expect(text()).not.toContain(key.slice(0, 8))
    expect(lines()[0]).toMatchObject({
      msg: 'with [redacted] and "[redacted]',
      err: {
        type: 'Error',
        message: 'refused [redacted]',
        code: 'EX',
        stack: expect.stringContaining('log.test.ts'),
        cause: { type: 'TypeError', message: 'because of [redacted]' },
        request: { headers: { 'Api-Key': '[redacted]' } },
      },
      many: { errors: [{ message: 'refused [redacted]' }] },
    })
  })

  it('survives what has no end', () => {
    const { log, lines } = logAt('info')
    const circle: { self?: unknown; secret: string } = { secret: key }
    circle.self = circle
    log.info({ circle }, 'round')
    expect(lines()).toEqual([expect.objectContaining({ msg: 'round' })])
    expect(JSON.stringify(lines())).toContain('[deeper]')
  })
})

describe('the start', () => {
  const section = {
    auth_pairs: [{ site: 'https://x.example', api_key: key, api_username: 'system' }],
    allow_writes: true,
    site: 'https://x.example',
  }

  it('is told with the configuration, masked, and then its warnings', () => {
    const { log, lines, text } = logAt('debug')
    logStart(log, parseForumConfig(section, { warnings: ['The profile is open.'] }))
    expect(lines().map(({ level, msg }) => [level, msg])).toEqual([
      [30, 'config'],
      [40, 'The profile is open.'],
      [40, expect.stringMatching(/^allow_writes is true/)],
    ])
    expect(lines()[0]?.config).toMatchObject({
      auth_pairs: [{ site: 'https://x.example', kind: 'api_key', username: 'system' }],
      allow_writes: true,
      read_only: true,
    })
    expect(text()).not.toContain(key.slice(0, 4))
    expect(text()).not.toContain('[redacted]')
  })

  it('is not told where nothing is to be told', () => {
    const { log, text } = logAt('silent')
    logStart(log, parseForumConfig(section))
    expect(text()).toBe('')
  })
})

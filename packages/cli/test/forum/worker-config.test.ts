import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Installation, untilSaid } from '../support/installation.js'

const key = '3f9c0b7a5d1e8624f0a9b8c7d6e5f403'
const password = 'pass w0rd/&"quoted"'
const pairs = JSON.stringify([
  {
    site: 'https://forum.example',
    api_key: key,
    api_username: 'system',
    http_basic_user: 'ada',
    http_basic_pass: password,
  },
])

function installation(section?: object, variables: Record<string, string> = {}): Installation {
  const made = new Installation({ CALLBOARD_WORKERS: 'forum', ...variables })
  mkdirSync(made.data, { mode: 0o700 })
  const file = join(made.data, 'callboard.config.json')
  if (section !== undefined) writeFileSync(file, JSON.stringify({ forum: section }), { mode: 0o600 })
  return made
}

function profileIn(made: Installation, text: string, mode = 0o600): string {
  const path = join(made.directory, 'forum.json')
  writeFileSync(path, text, { mode })
  return path
}

/** What the worker has said when it has signed in. */
async function started(made: Installation, words: readonly string[]): Promise<string> {
  await made.hub()
  const worker = made.spawn(['worker', 'forum', ...words])
  return untilSaid(worker, worker.stderr, /signed in/)
}

const linesOf = (stderr: string) =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { readonly msg: string; readonly level: number; readonly config?: object })

describe('callboard worker forum', () => {
  it('takes keys as a flag, and shows none of them however much it logs', async () => {
    const stderr = await started(installation(), ['--auth_pairs', pairs, '--log_level', 'debug'])
    const lines = linesOf(stderr)
    expect(lines.find(({ msg }) => msg === 'config')?.config).toMatchObject({
      auth_pairs: [{ site: 'https://forum.example', kind: 'api_key', username: 'system' }],
      log_level: 'debug',
    })
    expect(lines.filter(({ level }) => level === 40).map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^--auth_pairs was given on the command line/),
    ])
    const basic = Buffer.from(`ada:${password}`).toString('base64')
    for (const secret of [key, password, basic]) expect(stderr).not.toContain(secret.slice(0, 8))
  })

  it('takes a flag before a variable, that before the profile, and that before the file', async () => {
    const made = installation(
      { timeout_ms: 101, concurrency: 1, max_read_length: 1, tools_mode: 'discourse_api_only' },
      { CALLBOARD_FORUM__TIMEOUT_MS: '103', CALLBOARD_FORUM__CONCURRENCY: '3' },
    )
    profileIn(made, '{"timeout_ms": 102, "concurrency": 2, "max_read_length": 2}')
    const stderr = await started(made, ['--profile', '~/forum.json', '--timeout-ms=104'])
    expect(linesOf(stderr).find(({ msg }) => msg === 'config')?.config).toMatchObject({
      timeout_ms: 104,
      concurrency: 3,
      max_read_length: 2,
      tools_mode: 'discourse_api_only',
    })
  })

  it.each([
    ['allow_writes', ['--allow_writes'], /^allow_writes is true, but read_only is not false/],
    ['read_only', ['--read-only=false'], /^read_only is false, but allow_writes is not true/],
  ])('with %s alone says what is missing, once', async (_, words, sentence) => {
    const warnings = linesOf(await started(installation(), words)).filter(({ level }) => level === 40)
    expect(warnings.map(({ msg }) => msg)).toEqual([expect.stringMatching(sentence)])
  })

  it('warns of a profile that others can read', async () => {
    const made = installation()
    const profile = profileIn(made, `{"auth_pairs": ${pairs}}`, 0o644)
    const stderr = await started(made, [`--profile=${profile}`])
    expect(stderr).toContain(`${profile} is open to other users, and may hold keys: run chmod 600 ${profile}`)
    expect(stderr).not.toContain(key.slice(0, 8))
  })
})

describe('a configuration that is wrong ends the worker with 2', () => {
  it('with every problem at once, each with where it is from', async () => {
    const made = installation({ concurrency: 0, alow_writes: true }, { CALLBOARD_FORUM__TIMEOUT_MS: 'soon' })
    const profile = profileIn(made, '{"max_read_length": 0, "timeout": 5}')
    const words = ['--profile', profile, '--siet', 'x', '--auth_pairs', `[{"site": "x", "api_key": "${key}"`, '--site']
    const { code, stdout, stderr } = await made.run(['worker', 'forum', ...words])
    const file = join(made.data, 'callboard.config.json')
    expect({ code, stdout, lines: stderr.split('\n') }).toEqual({
      code: 2,
      stdout: '',
      lines: [
        'callboard: The configuration is not usable:',
        '  --siet: there is no such flag (did you mean --site?).',
        '  --site: needs a value: <url>.',
        `  ${file}: forum.concurrency: must be at least 1.`,
        `  ${file}: forum.alow_writes: there is no such key (did you mean allow_writes?).`,
        `  ${profile}: max_read_length: must be at least 1.`,
        `  ${profile}: timeout: there is no such key (did you mean timeout_ms?).`,
        '  CALLBOARD_FORUM__TIMEOUT_MS: forum.timeout_ms: must be a number.',
        expect.stringMatching(
          /^ {2}--auth_pairs: must be a list, written as JSON: it is not JSON: .* at line 1, column \d+\.$/,
        ),
        '',
      ],
    })
  })

  it.each([
    [undefined, /forum\.json: there is no such file\.\n$/],
    ['{"auth_pairs": [{"api_key": "3f9c0b7a5d1e8624" "}]}', /forum\.json: is not JSON: there is a mistake at line 1/],
    ['{"auth_pairs": 7}', /forum\.json: auth_pairs: must be a list\.\n$/],
    ['{"alow_writes": true}', /forum\.json: alow_writes: there is no such key \(did you mean allow_writes\?\)\.\n$/],
  ])('when it is a profile, which nothing replaces: %s', async (text, sentence) => {
    const made = installation({ auth_pairs: [] })
    if (text !== undefined) profileIn(made, text)
    for (const words of [['worker', 'forum', '--profile', '~/forum.json'], ['up']]) {
      const { code, stdout, stderr } = await made.run(words, { CALLBOARD_FORUM__PROFILE: '~/forum.json' })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(sentence)
      expect(stderr).not.toContain(key.slice(0, 8))
    }
    expect(made.processes()).toEqual([])
  })

  it('when it is a config file that is no JSON, without a word of what is in it', async () => {
    const made = installation()
    writeFileSync(join(made.data, 'callboard.config.json'), `{"forum": {"auth_pairs": [{"api_key": ${key}}]}}`)
    const { code, stderr } = await made.run(['worker', 'forum'])
    expect(code).toBe(2)
    expect(stderr).toContain('callboard.config.json: is not JSON')
    expect(stderr).not.toContain(key.slice(0, 6))
  })

  it('when a variable has text where a list belongs', async () => {
    const variables = { CALLBOARD_FORUM__AUTH_PAIRS: `{"site": "https://x.example", "api_key": "${key}"}` }
    const { code, stderr } = await installation({ auth_pairs: [] }).run(['worker', 'forum'], variables)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'callboard: The configuration is not usable: CALLBOARD_FORUM__AUTH_PAIRS: forum.auth_pairs: must be a list.\n',
    })
  })
})

describe('flags', () => {
  it.each([
    [
      ['worker', 'kernel', '--site', 'x'],
      'The worker kernel takes no flags: there is no --site (see callboard worker --help).',
    ],
    [
      ['worker', 'social', `--auth_pairs=${key}`],
      'The worker social takes no flags: there is no --auth_pairs (see callboard worker --help).',
    ],
    [
      ['worker', 'kernel', 'x'],
      'The worker kernel takes no flags: something was given after its name (see callboard worker --help).',
    ],
    [
      ['worker', '--site', 'x', 'forum'],
      "the worker's name must come first, then its flags (see callboard worker --help)",
    ],
    [['worker'], "missing required argument 'name' (see callboard worker --help)"],
    [
      ['worker', 'forun', '--help'],
      'There is no worker forun (did you mean forum?); the built-in ones are: kernel, scheduler, social, forum, qda.',
    ],
  ])('%j', async (words, sentence) => {
    expect(await new Installation().run(words)).toEqual({ code: 2, stdout: '', stderr: `callboard: ${sentence}\n` })
  })

  it('are in the help of their worker, with examples', async () => {
    const { code, stdout } = await new Installation().run(['worker', 'forum', '--help'])
    expect(code).toBe(0)
    for (const flag of [
      '--auth_pairs <json>',
      '--read_only [true|false]',
      '--profile <path>',
      '--default_search <prefix>',
    ]) {
      expect(stdout).toContain(`\n  ${flag} `)
    }
    expect(stdout).toMatch(/Examples:\n {2}callboard worker forum --profile /)
    expect((await new Installation().run(['worker', '--help'])).stdout).toContain('callboard worker forum --help')
  })
})

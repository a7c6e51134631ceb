import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseForumConfig, type SectionLayers, type SettledSection, settleSection } from '../../src/config.js'

const key = '3f9c0b7a5d1e8624f0a9b8c7d6e5f403'
const pairOf = (site: string) => ({ site, api_key: key, api_username: 'system' })

let home: string
let profile: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cb-'))
  profile = join(home, 'forum.json')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const file = '/etc/callboard.config.json'
type Parts = { readonly [part in 'file' | 'variables' | 'flags']?: { readonly [key: string]: unknown } }

function settled(parts: Parts, path = file): SettledSection {
  const given = (section: object = {}, nameOf: (key: string) => string) => ({
    section: section as SectionLayers['flags']['section'],
    sources: new Map(Object.keys(section).map((name) => [name, nameOf(name)])),
  })
  const layers = {
    file: { section: parts.file, path },
    variables: given(parts.variables, (name) => `CALLBOARD_FORUM__${name.toUpperCase()}`),
    flags: given(parts.flags, (name) => `--${name}`),
  }
  return settleSection(layers, home)
}

const write = (section: unknown, mode = 0o600) =>
  writeFileSync(profile, typeof section === 'string' ? section : JSON.stringify(section), { mode })

describe('a key of the section', () => {
  it('is taken from its flag, else its variable, else the profile, else the file', () => {
    write({ concurrency: 2, timeout_ms: 200, log_level: 'error' })
    const { section, problems } = settled({
      file: { concurrency: 1, timeout_ms: 100, log_level: 'debug', max_read_length: 10, profile },
      variables: { concurrency: 3, timeout_ms: 300 },
      flags: { concurrency: 4 },
    })
    expect(problems).toEqual([])
    expect(section).toEqual({ concurrency: 4, timeout_ms: 300, log_level: 'error', max_read_length: 10 })
  })

  it.each(['flags', 'variables', 'profile'])(
    'is taken whole from %s: keys for forums are not put together',
    (winner) => {
      const auth_pairs = [pairOf('https://new.example')]
      const own = { profile, ...(winner !== 'profile' && { auth_pairs }) }
      write(winner === 'profile' ? { auth_pairs } : {})
      const parts = { file: { auth_pairs: [pairOf('https://old.example')], profile } }
      const { section } = settled(winner === 'profile' ? parts : { ...parts, [winner]: own })
      expect(section).toEqual({ auth_pairs })
    },
  )
})

describe('a mistake', () => {
  it('begins with where it is, and none hides another', () => {
    write({ timeout_ms: 1, sites: 'x', auth_pairs: [{ site: 'https://x.example', api_key: key }] })
    expect(
      settled({
        file: { concurrency: 0, profile },
        variables: { log_level: 'loud', COLOUR: 'red' },
        flags: { max_read_length: 0, auth_pairs: '[{', timeout_ms: 500 },
      }).problems,
    ).toEqual([
      `${file}: forum.concurrency: must be at least 1`,
      `${profile}: timeout_ms: must be at least 100`,
      `${profile}: sites: there is no such key (did you mean site?)`,
      `${profile}: auth_pairs[0].api_username: must be set beside api_key: the user as whom the key acts, e.g. system`,
      'CALLBOARD_FORUM__LOG_LEVEL: forum.log_level: must be one of silent, error, info, debug',
      'CALLBOARD_FORUM__COLOUR: forum.COLOUR: there is no such key',
      '--auth_pairs: must be a list, written as JSON: it is not JSON: there is a mistake at line 1, column 3',
      '--max_read_length: must be at least 1',
    ])
  })

  it('in what is inside a flag names the place', () => {
    expect(settled({ flags: { auth_pairs: [{ site: 'x', api_key: key, api_username: 'a' }] } }).problems).toEqual([
      '--auth_pairs: forum.auth_pairs[0].site: must be the URL of a forum, which begins with https:// or http://',
    ])
  })

  it('between keys begins with where the key is from', () => {
    const parts = { file: { allowed_sites: ['https://a.example'] }, flags: { site: 'https://b.example' } }
    expect(settled(parts).problems).toEqual(['--site: forum.site: must be one of allowed_sites, where there are some'])
  })

  it('that is found later can be located', () => {
    write({ site: 'https://x.example' })
    const { located } = settled({ file: { profile, timeout_ms: 500 }, variables: { timeout_ms: 600 } })
    expect(located('forum.site: 404')).toBe(`${profile}: forum.site: 404`)
    expect(located('forum.timeout_ms: x')).toBe('CALLBOARD_FORUM__TIMEOUT_MS: forum.timeout_ms: x')
    expect(located('forum.concurrency: x')).toBe('forum.concurrency: x')
  })
})

describe('a profile', () => {
  it('is named from the home directory on', () => {
    write({ concurrency: 7 })
    expect(settled({ flags: { profile: '~/forum.json' } }).section).toEqual({ concurrency: 7 })
    const nowhere = settleSection(
      { file: { section: { profile: '~/forum.json' } }, variables: none, flags: none },
      undefined,
    )
    expect(nowhere.problems).toEqual(["~/forum.json: can't be found: HOME is not set"])
  })

  it('may be named by a section that is parsed alone', () => {
    write({ concurrency: 7 })
    expect(parseForumConfig({ profile, concurrency: 3 }).concurrency).toBe(7)
    write({ concurrency: 70 })
    expect(() => parseForumConfig({ profile, concurrency: 3 })).toThrow(`${profile}: concurrency: must be at most 32`)
  })

  it.each([
    ['', /^is not JSON/],
    ['{"site": "https://x.example",}', /^is not JSON: there is a mistake at line 1, column \d+$/],
    [`{"auth_pairs": [{"api_key": "${key}" "x"}]}`, /^is not JSON: there is a mistake at line 1, column \d+$/],
    [`{"auth_pairs": [{"api_key": ${key}}]}`, /^is not JSON/],
    ['[]', /^must hold an object with keys of the section forum$/],
    ['null', /^must hold an object with keys of the section forum$/],
    ['{"profile": "other.json"}', /^profile: must not name another profile$/],
    ['{"allow_writs": true}', /^allow_writs: there is no such key \(did you mean allow_writes\?\)$/],
    ['{"read_only": "false"}', /^read_only: must be true or false$/],
  ])('that is wrong is never passed over: %s', (text, words) => {
    write(text)
    const { problems } = settled({ file: { profile } })
    expect(problems.map((problem) => problem.replace(`${profile}: `, ''))).toEqual([expect.stringMatching(words)])
    expect(problems.join()).not.toContain(key.slice(0, 6))
  })

  it('that is not there, no file, or larger than one can be is named', () => {
    expect(settled({ flags: { profile: join(home, 'none.json') } }).problems).toEqual([
      `${join(home, 'none.json')}: there is no such file`,
    ])
    mkdirSync(join(home, 'folder'))
    expect(settled({ flags: { profile: join(home, 'folder') } }).problems).toEqual([
      `${join(home, 'folder')}: is no file`,
    ])
    write(`{}${' '.repeat(1024 * 1024)}`)
    expect(settled({ flags: { profile } }).problems).toEqual([
      `${profile}: has more than 1048576 bytes: it is no profile`,
    ])
  })

  it('that is only overridden is not read', () => {
    write({ concurrency: 7 })
    const { section, problems } = settled({ file: { profile: '/nowhere/old.json' }, flags: { profile } })
    expect({ section, problems }).toEqual({ section: { concurrency: 7 }, problems: [] })
  })

  it.each([
    [0o600, 0],
    [0o640, 1],
    [0o604, 1],
    [0o620, 1],
  ])('with mode %o gives %d warnings', (mode, count) => {
    write({}, 0o600)
    chmodSync(profile, mode)
    const warning = `${profile} is open to other users, and may hold keys: run chmod 600 ${profile}`
    expect(settled({ flags: { profile } }).warnings).toEqual(count === 0 ? [] : [warning])
  })
})

describe('keys for forums', () => {
  const auth_pairs = [pairOf('https://x.example')]

  it('on the command line give a warning that names the better way', () => {
    expect(settled({ flags: { auth_pairs } }).warnings).toEqual([
      expect.stringMatching(/^--auth_pairs was given on the command line.*--profile\.$/),
    ])
    expect(settled({ variables: { auth_pairs } }).warnings).toEqual([])
  })

  it('in a config file that others can read give one, unless other keys are in force', () => {
    write({}, 0o644)
    expect(settled({ file: { auth_pairs } }, profile).warnings).toEqual([
      `${profile} is open to other users, and may hold keys: run chmod 600 ${profile}`,
    ])
    expect(settled({ file: { concurrency: 3 } }, profile).warnings).toEqual([])
    expect(settled({ file: { auth_pairs }, variables: { auth_pairs } }, profile).warnings).toEqual([])
    chmodSync(profile, 0o600)
    expect(settled({ file: { auth_pairs } }, profile).warnings).toEqual([])
  })
})

const none = { section: {}, sources: new Map<string, string>() }

import { describe, expect, it } from 'vitest'
import { flagNamesIn, flagsHelp, readFlags, type WorkerFlag } from '../../src/worker-flags.js'

const flags: readonly WorkerFlag[] = [
  { path: 'auth_pairs', kind: 'any', value: 'json', description: 'keys' },
  { path: 'allow_writes', kind: 'truth', value: 'true|false', description: 'offer what writes' },
  { path: 'read_only', kind: 'truth', value: 'true|false', description: 'offer nothing that writes' },
  { path: 'max_read_length', kind: 'number', value: 'number', description: 'characters' },
  { path: 'default_search', kind: 'text', value: 'prefix', description: 'prefix' },
  { path: 'allowed_sites', kind: 'list', value: 'urls', description: 'forums' },
]
const read = (...words: string[]) => readFlags(words, flags)

describe('a flag', () => {
  it.each([
    [['--max_read_length', '500'], { max_read_length: 500 }],
    [['--max_read_length=500'], { max_read_length: 500 }],
    [['--max-read-length', '500'], { max_read_length: 500 }],
    [['--max-read_length=-1'], { max_read_length: -1 }],
    [['--max_read_length', '-1'], { max_read_length: -1 }],
    [['--max_read_length', 'many'], { max_read_length: 'many' }],
    [['--max_read_length='], { max_read_length: '' }],
    [['--allow_writes'], { allow_writes: true }],
    [['--allow-writes', '--read_only=false'], { allow_writes: true, read_only: false }],
    [['--allow_writes', 'true', '--read_only', 'False'], { allow_writes: true, read_only: false }],
    [['--allow_writes', 'perhaps'], { allow_writes: 'perhaps' }],
    [['--default-search', 'tag:a=b --c'], { default_search: 'tag:a=b --c' }],
    [['--default-search=--x'], { default_search: '--x' }],
    [['--default-search=a=b\nc'], { default_search: 'a=b\nc' }],
    [['--default_search', '123'], { default_search: '123' }],
    [['--default_search='], { default_search: '' }],
    [['--auth_pairs', '[{"site": "https://x.example"}]'], { auth_pairs: [{ site: 'https://x.example' }] }],
    [['--auth-pairs=[]'], { auth_pairs: [] }],
    [['--auth_pairs', '[{'], { auth_pairs: '[{' }],
    [
      ['--allowed_sites', 'https://a.example, https://b.example'],
      { allowed_sites: ['https://a.example', 'https://b.example'] },
    ],
    [[], {}],
  ])('%j', (words, section) => {
    expect(read(...words)).toMatchObject({ section, problems: [] })
  })

  it('is remembered as it was written', () => {
    expect([...read('--max-read_length', '5', '--allow_writes').sources]).toEqual([
      ['max_read_length', '--max-read_length'],
      ['allow_writes', '--allow_writes'],
    ])
  })
})

describe('a mistake in flags', () => {
  it('is told with all others, and nothing of a value is', () => {
    const secret = '3f9c0b7a5d1e8624f0a9b8c7d6e5f403'
    const { problems } = read(
      secret,
      '--alow-writes',
      secret,
      `--auth_pair=${secret}`,
      '--auth_pairs',
      '--read_only',
      '--read-only=false',
      '--max_read_length',
      '5',
      secret,
      '-x',
      `--${secret}${secret}`,
      '--',
      '--default_search',
    )
    expect(problems).toEqual([
      "word 1 after the worker's name is no flag: flags begin with --",
      '--alow-writes: there is no such flag (did you mean --allow_writes?)',
      '--auth_pair: there is no such flag (did you mean --auth_pairs?)',
      '--auth_pairs: needs a value: <json>',
      '--read-only: was given before: give it once',
      "word 10 after the worker's name is no flag: flags begin with --",
      "word 11 after the worker's name is no flag: flags begin with --",
      `--${secret.slice(0, 28)}…: there is no such flag`,
      '--: there is no such flag',
      '--default_search: needs a value: <prefix>',
    ])
  })

  it('is no reason to take the second of two', () => {
    expect(read('--max_read_length', '5', '--max-read-length', '6')).toMatchObject({
      section: { max_read_length: 5 },
      problems: ['--max-read-length: was given before: give it once'],
    })
  })
})

it('flags have names for whoever takes none', () => {
  expect(flagNamesIn(['x', '--site', 'y', '--auth_pairs=[1]', '--site'])).toEqual(['--site', '--auth_pairs'])
})

it('flags have a line of help each', () => {
  expect(flagsHelp(flags.slice(0, 2))).toBe(
    ['  --auth_pairs <json>          keys', '  --allow_writes [true|false]  offer what writes'].join('\n'),
  )
})

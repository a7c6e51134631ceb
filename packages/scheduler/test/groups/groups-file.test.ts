import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GroupsFileError, groupPlaces, parseGroupsFile, readGroupsFile } from '../../src/groups/groups-file.js'

const main = { folder: 'main', tag: 'main', name: 'Main', admin: true }

function problemsOf(...groups: readonly object[]): readonly string[] | undefined {
  return parseGroupsFile(JSON.stringify({ groups })).problems
}

describe('the groups file', () => {
  it('says all of a group', () => {
    const command = {
      kind: 'command',
      argv: ['claude', '-p', '--output-format', 'json', '--model', '{model}'],
      session_args: ['--resume', '{session_id}'],
      session_from: 'session_id',
      result_from: 'result',
      prompt_via: 'stdin',
      model: 'opus',
    }
    const lab = { folder: 'lab', tag: 'research', name: ' The lab ', runner: command, timezone: 'Asia/Tokyo' }
    const web = { kind: 'http', base_url: 'http://127.0.0.1:11434/v1/', model: 'qwen', key_env: 'OLLAMA_KEY' }
    const text = JSON.stringify({
      groups: [
        main,
        { ...lab, env_allow: ['ANTHROPIC_API_KEY'], timeout_ms: 60_000 },
        { folder: 'web', tag: 'w', name: 'Web', runner: web },
      ],
    })
    expect(parseGroupsFile(text).groups).toEqual([
      { folder: 'main', tag: 'main', name: 'Main', isAdmin: true, envAllow: [] },
      {
        folder: 'lab',
        tag: 'research',
        name: 'The lab',
        isAdmin: false,
        runner: {
          kind: 'command',
          argv: command.argv,
          sessionArgs: command.session_args,
          sessionFrom: 'session_id',
          resultFrom: 'result',
          promptVia: 'stdin',
          model: 'opus',
        },
        timezone: 'Asia/Tokyo',
        envAllow: ['ANTHROPIC_API_KEY'],
        timeoutMs: 60_000,
      },
      {
        folder: 'web',
        tag: 'w',
        name: 'Web',
        isAdmin: false,
        runner: { kind: 'http', baseUrl: 'http://127.0.0.1:11434/v1', model: 'qwen', keyEnv: 'OLLAMA_KEY' },
        envAllow: [],
      },
    ])
  })

  it('tells every mistake at once, with its place', () => {
    expect(
      problemsOf(
        main,
        { folder: '../../x', tag: 'Lab', name: '', admin: 'yes', colour: 'red' },
        { folder: 'main', tag: 'errors', name: 'a\nb', timezone: 'Mars/X', timeout_ms: 1 },
        { folder: 'other', tag: 'main', name: 'Other', admin: true, env_alow: [] },
      ),
    ).toEqual([
      'groups[1].folder: must be 1 to 32 of a-z, 0-9, "_" and "-", the first one a letter or a digit',
      'groups[1].tag: must be 1 to 32 of a-z, 0-9, "_" and "-", the first one a letter or a digit',
      'groups[1].name: must not be empty',
      'groups[1].admin: must be true or false',
      'groups[1].colour: there is no such key',
      'groups[2].tag: must not be one of errors, tmp, shared, system',
      'groups[2].name: must be one line of text',
      'groups[2].timezone: must be an IANA name, like Europe/Paris',
      'groups[2].timeout_ms: must be at least 1000',
      'groups[3].env_alow: there is no such key (did you mean env_allow?)',
      'groups[2].folder: groups[0] has the same; choose another one',
      'groups[3].tag: groups[0] has the same; choose another one',
      'groups[3].admin: groups[0] is the admin group already',
    ])
  })

  it.each(['errors', 'tmp', 'shared', 'system'])('reserves %s, as folder and as tag', (name) => {
    expect(problemsOf(main, { folder: name, tag: name, name })).toHaveLength(2)
  })

  it('has exactly one admin group, and it is the flag that makes it one', () => {
    expect(problemsOf({ ...main, admin: false })).toEqual(['groups: exactly one must have "admin": true; none has'])
    const { groups } = parseGroupsFile(
      JSON.stringify({
        groups: [
          { ...main, admin: false },
          { ...main, folder: 'x', tag: 'x' },
        ],
      }),
    )
    expect(groups?.map(({ isAdmin }) => isAdmin)).toEqual([false, true])
  })

  it('has 1 to 256 groups', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ folder: `g${n}`, tag: `g${n}`, name: 'G', admin: n === 0 }))
    expect(problemsOf()).toEqual(['groups: must have at least 1 entry'])
    expect(problemsOf(...many(256))).toBeUndefined()
    expect(problemsOf(...many(257))).toEqual(['groups: must have at most 256 entries'])
  })

  it.each([
    [{ kind: 'shell' }, 'runner.kind: must have "kind": "command" or "http"'],
    [{ kind: 'command', argv: [] }, 'runner.argv: must have at least 1 entry'],
    [{ kind: 'command', argv: 'claude -p' }, 'runner.argv: must be a list'],
    [{ kind: 'command', argv: [''] }, 'runner.argv: must begin with a program'],
    [{ kind: 'command', argv: ['a\0b'] }, 'runner.argv[0]: must be text without NUL'],
    [{ kind: 'command', argv: ['a'], prompt_via: 'argv' }, 'runner.prompt_via: must be "stdin"'],
    [{ kind: 'command', argv: ['a'], argz: [] }, 'runner.argz: there is no such key (did you mean argv?)'],
    [
      { kind: 'command', argv: ['a', '{session_id}'] },
      'runner.argv[1]: {session_id} belongs into session_args, which are left out where there is no session yet',
    ],
    [
      { kind: 'command', argv: ['a'], session_args: ['{sesion_id}'] },
      'runner.session_args[0]: {sesion_id} stands for nothing (did you mean session_id?)',
    ],
    [
      { kind: 'command', argv: ['a'], session_args: ['--resume', '{session_id}'] },
      'runner.session_from: must say where the output tells the session id that session_args pass on',
    ],
    [
      { kind: 'command', argv: ['a'], session_args: ['--resume={session_id}'], session_from: 'json:id' },
      'runner.session_args[0]: {session_id} is only filled where it is the whole argument',
    ],
    [
      { kind: 'command', argv: ['a', '--model={model}'], model: 'm' },
      'runner.argv[1]: {model} is only filled where it is the whole argument',
    ],
    [{ kind: 'command', argv: ['a', '{model}'] }, "runner.argv[1]: {model} needs the runner's model"],
    [
      { kind: 'http', base_url: 'http://x/v1/chat/completions', model: 'm' },
      'runner.base_url: must end before /chat/completions',
    ],
    [{ kind: 'http', base_url: 'http://x/v1' }, 'runner.model: must be text'],
  ])('refuses the runner %j', (runner, problem) => {
    expect(problemsOf({ ...main, runner })).toEqual([`groups[0].${problem}`])
  })

  it('takes no password in an address, and does not repeat it', () => {
    const problems = problemsOf({ ...main, runner: { kind: 'http', base_url: 'https://u:s3cret@x/v1', model: 'm' } })
    expect(problems).toEqual([
      'groups[0].runner.base_url: must be a URL that begins with http:// or https:// and holds no password',
    ])
  })

  it.each([
    'MAIL_HMAC_KEY',
    'SMTP_URL',
    'IMAP_URL',
    'DATABASE_URL',
    'CALLBOARD_TOKEN',
    'CALLBOARD_SCHEDULER__SMTP_URL',
  ])('gives %s to no group', (name) => {
    expect(problemsOf({ ...main, env_allow: ['HOME', name] })).toEqual([
      'groups[0].env_allow[1]: is for the worker alone: no group gets it',
    ])
  })

  it('looks into the runner of one group though another group is wrong', () => {
    const lab = { folder: 'lab', tag: 'lab', name: 'Lab', runner: { kind: 'command', argv: ['a', '{sesion_id}'] } }
    expect(problemsOf({ ...main, admn: true }, lab)).toEqual([
      'groups[0].admn: there is no such key (did you mean admin?)',
      'groups[1].runner.argv[1]: {sesion_id} stands for nothing (did you mean session_id?)',
    ])
  })

  it('has paths into outputs checked by who reads them', () => {
    const runner = { kind: 'command', argv: ['a'], session_from: 'bad', result_from: 'good' }
    const check = (text: string) => (text === 'bad' ? 'must be good' : undefined)
    const { problems } = parseGroupsFile(JSON.stringify({ groups: [{ ...main, runner }] }), check)
    expect(problems).toEqual(['groups[0].runner.session_from: must be good'])
  })

  it.each([
    ['', 'is not JSON: there is a mistake at line 1, column 1'],
    ['{\n  "groups": [\n    {"folder": main}\n  ]\n}', 'is not JSON: there is a mistake at line 3, column 16'],
    ['{\n  "groups": [],\n}', 'is not JSON: there is a mistake at line 3, column 1'],
    ['{"groups": [', 'is not JSON: there is a mistake at line 1, column 13'],
    ['[]', 'must be an object'],
    ['{"group": []}', 'groups: must be a list'],
    ['null', 'must be an object'],
  ])('says where %j is wrong', (text, problem) => {
    expect(parseGroupsFile(text).problems?.[0]).toBe(problem)
  })
})

describe('reading it', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'callboard-groups-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  it('finds none', async () => {
    expect(await readGroupsFile(join(directory, 'none.json'))).toBeUndefined()
  })

  it('tells the path with the problems', async () => {
    const path = join(directory, 'bad.json')
    await writeFile(path, '{"groups": []}')
    const error = await readGroupsFile(path).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(GroupsFileError)
    expect(error).toMatchObject({
      problems: ['groups: must have at least 1 entry'],
      message: expect.stringContaining(path),
    })
  })

  it('reads no directory and nothing endless', async () => {
    await expect(readGroupsFile(directory)).rejects.toThrow("can't be read (EISDIR)")
    const path = join(directory, 'long.json')
    await writeFile(path, ' '.repeat(1_048_577))
    await expect(readGroupsFile(path)).rejects.toThrow('1048576 is the most')
  })

  it('does not mind a byte order mark', async () => {
    const path = join(directory, 'bom.json')
    await writeFile(path, `\uFEFF${JSON.stringify({ groups: [main] })}`)
    expect(await readGroupsFile(path)).toHaveLength(1)
  })
})

describe('its place', () => {
  it('is the data directory, unless the configuration says another one', () => {
    expect(groupPlaces({}, '/data')).toEqual({ file: '/data/groups.json', directory: '/data/groups' })
    const config = { groups_file: 'etc/g.json', groups_dir: '/srv/groups' }
    expect(groupPlaces(config, '/data')).toEqual({ file: '/data/etc/g.json', directory: '/srv/groups' })
  })
})

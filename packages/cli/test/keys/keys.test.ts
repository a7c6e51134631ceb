import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Installation } from '../support/installation.js'

const listFile = (installation: Installation) => join(installation.data, 'authorized-workers')
const lines = (installation: Installation) => readFileSync(listFile(installation), 'utf8')
const list = async (installation: Installation) =>
  JSON.parse((await installation.run(['keys', 'list', '--json'])).stdout) as Record<string, unknown>[]

async function newKey(installation: Installation, file: string): Promise<string> {
  return (await installation.run(['keys', 'new', 'lab', '--out', join(installation.directory, file)])).stdout.trim()
}

async function withKeys() {
  const installation = new Installation()
  const [first, second] = [await newKey(installation, 'first.key'), await newKey(installation, 'second.key')]
  return { installation, first, second }
}

describe('callboard keys new', () => {
  it('prints the public half alone, and on stderr what to do next', async () => {
    const installation = new Installation()
    const { code, stdout, stderr } = await installation.run(['keys', 'new', 'lab'])
    const file = join(installation.data, 'keys', 'lab.key')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^[0-9A-Za-z]\S{39}\n$/)])
    expect(stderr).toContain(`Next, where the hub runs: callboard keys authorize lab '${stdout.trim()}'`)
    expect(stderr).toContain(`CALLBOARD_KEY_FILE=${file}`)
    expect([statSync(file).mode & 0o777, statSync(installation.data).mode & 0o777]).toEqual([0o600, 0o700])
    expect(readFileSync(file, 'utf8')).toContain(`public ${stdout}`)
    expect(stderr).not.toContain(/secret (.*)/.exec(readFileSync(file, 'utf8'))![1])
  })

  it('overwrites nothing, and takes only names', async () => {
    const installation = new Installation()
    await installation.run(['keys', 'new', 'lab'])
    const again = await installation.run(['keys', 'new', 'lab'])
    expect([again.code, again.stdout, again.stderr]).toEqual([2, '', expect.stringContaining('is there already')])
    const directory = await installation.run(['keys', 'new', 'lab', '--out', installation.directory])
    expect([directory.code, directory.stderr]).toEqual([
      2,
      expect.stringContaining('is a directory: name a file in it'),
    ])
    const { code, stderr } = await installation.run(['keys', 'new', '../lab'])
    expect([code, stderr]).toEqual([
      2,
      'callboard: "../lab" is no name: a name has a-z, 0-9 and -, a letter first, 32 characters at most.\n',
    ])
  })
})

it('callboard keys hub prints the same key each time', async () => {
  const installation = new Installation()
  const first = await installation.run(['keys', 'hub'])
  expect(first.stdout).toMatch(/^\S{40}\n$/)
  expect((await installation.run(['keys', 'hub'])).stdout).toBe(first.stdout)
  expect(statSync(join(installation.data, 'hub.key')).mode & 0o777).toBe(0o600)
})

describe('callboard keys authorize', () => {
  it('adds a line for the key of a name, and says what it may', async () => {
    const installation = new Installation()
    const key = (await installation.run(['keys', 'new', 'lab'])).stdout.trim()
    const { code, stdout, stderr } = await installation.run(['keys', 'authorize', 'lab', '--tools', 'run_*,list'])
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'Authorized lab: services lab; tools run_*,list; resources *; until it is revoked.\n',
      stderr: '',
    })
    expect(lines(installation)).toBe(`lab ${key} tools=run_*,list\n`)
    expect(statSync(listFile(installation)).mode & 0o777).toBe(0o600)
  })

  it('changes what it is told, and leaves the rest of a key as it is', async () => {
    const { installation, first } = await withKeys()
    await installation.run(['keys', 'authorize', 'lab', first, '--tools', 'list', '--expires', '2100-01-31'])
    await installation.run(['keys', 'authorize', 'lab', first, '--services', 'lab,more'])
    expect(lines(installation)).toBe(`lab ${first} services=lab,more tools=list expires=2100-01-31T00:00:00.000Z\n`)
  })

  it('gives a second key of a name the rights of the first but for its end, and tells how to go on', async () => {
    const { installation, first, second } = await withKeys()
    await installation.run(['keys', 'authorize', 'lab', first, '--tools', 'list', '--expires', '30d'])
    const file = join(installation.directory, 'second.key')
    const { stderr } = await installation.run(['keys', 'authorize', 'lab', '--file', file])
    expect(lines(installation).split('\n')[1]).toBe(`lab ${second} tools=list`)
    expect(stderr).toBe(
      `lab has another key beside it: restart its worker with the new one, then run callboard keys revoke '${first}'\n`,
    )
  })

  it.each([
    [['lab'], /^callboard: Which key\? Run "callboard keys new lab" where the worker runs/],
    [['lab', 'short'], /"short" is no key, which has 40 characters/],
    [['lab', 'KEY', '--file', 'x'], /either a key or --file/],
    [['lab', '--file', 'nowhere.key'], /nowhere\.key can't be read \(ENOENT\)/],
    [['lab', 'KEY', '--expires', '2001-01-01'], /--expires: 2001-01-01 is over: name a time to come/],
    [['lab', 'KEY', '--expires', 'soon'], /--expires must be a time like 90m/],
    [['lab', 'KEY', '--services', 'kernel'], /Service kernel is a reserved one.*: add --trusted/],
    [['lab', 'KEY', '--tools', 'a b', '--services', 'A'], /service "A" is no name.*; tools: "a b" is no pattern/],
    [['lab', 'KEY', '--tool', 'a'], /--tools/],
  ])('says what is wrong with %j and changes nothing', async (words, message) => {
    const installation = new Installation()
    const key = await newKey(installation, 'first.key')
    const given = words.map((word) => (word === 'KEY' ? key : word))
    const { code, stdout, stderr } = await installation.run(['keys', 'authorize', ...given])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)])
    expect(await list(installation)).toEqual([])
  })

  it('takes a key with the blanks that it was copied with, and not the one of the hub itself', async () => {
    const { installation, first } = await withKeys()
    const { code } = await installation.run(['keys', 'authorize', 'lab', ` ${first}\n`])
    expect([code, lines(installation)]).toEqual([0, `lab ${first}\n`])
    const own = (await installation.run(['keys', 'hub'])).stdout.trim()
    const refused = await installation.run(['keys', 'authorize', 'lab', own])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('This is the key of the hub itself')])
    expect(lines(installation)).toBe(`lab ${first}\n`)
  })

  it('has a key under one name', async () => {
    const { installation, first } = await withKeys()
    await installation.run(['keys', 'authorize', 'lab', first])
    const { code, stderr } = await installation.run(['keys', 'authorize', 'other', first])
    expect([code, stderr]).toEqual([2, expect.stringContaining('This key is authorized as lab')])
  })

  it('changes no list that is broken, and says where', async () => {
    const { installation, first } = await withKeys()
    await installation.run(['keys', 'authorize', 'lab', first])
    writeFileSync(listFile(installation), 'lab short\n')
    const { code, stderr } = await installation.run(['keys', 'authorize', 'lab', first])
    expect([code, stderr]).toEqual([2, expect.stringContaining('Line 1: "short" is no key')])
    expect(lines(installation)).toBe('lab short\n')
  })

  it('loses nothing of what several do at once', async () => {
    const { installation, first, second } = await withKeys()
    await Promise.all([
      installation.run(['keys', 'authorize', 'lab', first]),
      installation.run(['keys', 'authorize', 'more', second]),
    ])
    expect((await list(installation)).map(({ name }) => name).sort()).toEqual(['lab', 'more'])
  })
})

describe('callboard keys list and revoke', () => {
  it('shows each key, and says how to begin when there is none', async () => {
    const { installation, first } = await withKeys()
    expect((await installation.run(['keys', 'list'])).stdout).toBe(
      `No key is authorized: run "callboard keys authorize NAME 'KEY'".\n`,
    )
    await installation.run(['keys', 'authorize', 'lab', first, '--resources', ''])
    expect((await installation.run(['keys', 'list'])).stdout.replace(/ +/g, ' ')).toBe(
      `NAME KEY SERVICES TOOLS RESOURCES EXPIRES TRUSTED WORKERS\nlab ${first} lab * - never no -\n`,
    )
    expect(await list(installation)).toEqual([
      { name: 'lab', key: first, services: ['lab'], tools: ['*'], resources: [], trusted: false, isOver: false },
    ])
  })

  it('revokes one key of a name, or all of them, and leaves the rest of the file and its mode as they are', async () => {
    const { installation, first, second } = await withKeys()
    await installation.run(['keys', 'authorize', 'lab', first])
    const third = await newKey(installation, 'third.key')
    writeFileSync(listFile(installation), `# the lab\nlab  ${first}\n\n# more\nmore ${second}\nlab ${third}\n`)
    chmodSync(listFile(installation), 0o640)
    const one = await installation.run(['keys', 'revoke', third])
    expect([one.code, one.stdout]).toEqual([0, 'Revoked 1 key of lab; no hub is running.\n'])
    expect(lines(installation)).toBe(`# the lab\nlab  ${first}\n\n# more\nmore ${second}\n`)
    expect(statSync(listFile(installation)).mode & 0o777).toBe(0o640)
    await installation.run(['keys', 'authorize', 'lab', third])
    expect((await installation.run(['keys', 'revoke', 'lab'])).stdout).toBe(
      'Revoked 2 keys of lab; no hub is running.\n',
    )
    expect(lines(installation)).toBe(`# the lab\n\n# more\nmore ${second}\n`)
  })

  it('names what comes near when there is no such key', async () => {
    const { installation, first } = await withKeys()
    await installation.run(['keys', 'authorize', 'lab', first])
    const { code, stderr } = await installation.run(['keys', 'revoke', 'labb'])
    expect([code, stderr]).toEqual([
      2,
      'callboard: There is no key "labb" (did you mean lab?): "callboard keys list" lists them all.\n',
    ])
  })
})

describe('callboard doctor', () => {
  const found = async (installation: Installation, variables: Record<string, string> = {}) => {
    const { findings } = JSON.parse((await installation.run(['doctor', '--json'], variables)).stdout) as {
      findings: { check: string; status: string; detail: string; remedy?: string }[]
    }
    return findings.filter(({ check }) => check === 'allow-list' || check === 'keys')
  }

  it('finds nothing where there are no keys, and one that is good', async () => {
    const { installation, first } = await withKeys()
    expect(await found(installation)).toEqual([])
    await installation.run(['keys', 'authorize', 'lab', first])
    expect(await found(installation)).toEqual([{ check: 'allow-list', status: 'ok', detail: '1 good' }])
  })

  it('finds a listening hub that nobody may come to, and keys that end', async () => {
    const { installation, first, second } = await withKeys()
    const listening = { CALLBOARD_LISTEN: 'tcp://127.0.0.1:8766' }
    expect(await found(installation, listening)).toMatchObject([
      { status: 'problem', detail: expect.stringContaining('has no key that is good') },
    ])
    await installation.run(['keys', 'authorize', 'lab', first, '--expires', '6d'])
    writeFileSync(listFile(installation), `${lines(installation)}old ${second} expires=2001-01-01\n`)
    expect(await found(installation, listening)).toMatchObject([
      { status: 'ok', detail: '1 good' },
      { status: 'note', detail: expect.stringContaining(`lab (${first}) is over at `) },
      { status: 'note', detail: `old (${second}) is over since 2001-01-01T00:00Z` },
    ])
  })

  it('finds files that are broken, or open to others', async () => {
    const installation = new Installation()
    const key = (await installation.run(['keys', 'new', 'lab'])).stdout.trim()
    await installation.run(['keys', 'authorize', 'lab', key])
    chmodSync(join(installation.data, 'keys', 'lab.key'), 0o644)
    chmodSync(listFile(installation), 0o644)
    expect(await found(installation)).toMatchObject([
      { check: 'keys', status: 'problem', detail: expect.stringContaining('lab.key is open to other users') },
      { check: 'allow-list', status: 'problem', remedy: `run chmod 640 ${listFile(installation)}` },
      { check: 'allow-list', status: 'ok' },
    ])
    writeFileSync(listFile(installation), `lab ${key} tool=x\n`)
    expect((await found(installation))[1]).toMatchObject({
      check: 'allow-list',
      status: 'problem',
      detail: expect.stringContaining('Line 1: "tool" is no option'),
    })
  })
})

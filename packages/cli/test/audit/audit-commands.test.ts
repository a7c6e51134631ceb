import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { Installation } from '../support/installation.js'
import { Journal } from './journals.js'

describe('callboard audit tail', () => {
  it('follows the journal from file to file', async () => {
    const [installation, journal] = [new Installation(), await Journal.begin()]
    await journal.calls('old', 'newest')
    const words = ['audit', 'tail', '--directory', journal.directory, '-f', '-n', '1', '--json']
    const following = installation.spawn(words)
    const lines = createInterface(following.stdout)[Symbol.asyncIterator]()
    const next = async () => {
      const { kind, tool, file } = JSON.parse((await lines.next()).value)
      return tool ?? `${kind} ${file}`
    }
    expect(await next()).toBe('newest')
    await journal.calls('a', 'b')
    await journal.calls('c')
    expect([await next(), await next(), await next()]).toEqual([`file ${journal.name(2)}`, 'a', 'b'])
    expect([await next(), await next()]).toEqual([`file ${journal.name(3)}`, 'c'])
    following.kill()
    await once(following, 'close')
  })

  it('shows the newest of those that were asked for, and nothing of them can pass for a line of its own', async () => {
    const [installation, journal] = [new Installation(), await Journal.begin()]
    await journal.calls('read_a', 'write', 'read_b\u001b[2J\nagent:eve', 'read_c')
    const { stdout } = await installation.run([
      ...['audit', 'tail', '--directory', journal.directory],
      ...['-n', '2', '--tool', 'read_*', '--principal', 'agent:ada', '--outcome', 'result'],
    ])
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^TIME +WHO +WHAT +OUTCOME +MS +WORKER$/),
      expect.stringMatching(/^2027-01-01 00:00:00\.000 +agent:ada +read_b[ -~]*agent:eve +result +1 +-$/),
      expect.stringMatching(/^2027-01-01 00:00:00\.000 +agent:ada +read_c +result +1 +-$/),
      '',
    ])
  })

  it.each([
    ['-n', 'x', 'It must be a whole number up to 999999'],
    ['-n', '1000000', 'It must be a whole number up to 999999'],
  ])('refuses %s %s', async (option, value, problem) => {
    const { code, stderr } = await new Installation().run(['audit', 'tail', option, value])
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })
})

describe('callboard audit verify --from', () => {
  it('looks at that file and the later ones alone', async () => {
    const [installation, journal] = [new Installation(), await Journal.begin()]
    for (const tool of ['a', 'b', 'c']) await journal.calls(tool)
    const verify = async (...words: string[]) => {
      const all = ['audit', 'verify', '--directory', journal.directory, '--json', ...words]
      const { code, stdout, stderr } = await installation.run(all)
      return { code, stderr, found: code === 2 ? undefined : JSON.parse(stdout) }
    }
    expect(await verify('--from', journal.name(2))).toMatchObject({ code: 0, found: { ok: true, files: 2, lines: 4 } })
    const spoiled = readFileSync(journal.path(1), 'utf8').replace('"a"', '"x"')
    writeFileSync(journal.path(1), spoiled)
    expect(await verify()).toMatchObject({
      code: 1,
      found: { ok: false, problems: [{ file: journal.name(1), line: 2 }] },
    })
    expect(await verify('--from', journal.name(2))).toMatchObject({ code: 0, found: { ok: true } })
    expect(await verify('--from', journal.name(1))).toMatchObject({ code: 1 })
    expect(await verify('--from', 'audit-0000002.jsonl')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`There is no file audit-0000002.jsonl in ${journal.directory}`),
    })
  })

  it('does not take for granted that what was before the first file was removed by the hub', async () => {
    const [installation, journal] = [new Installation(), await Journal.begin()]
    for (const tool of ['a', 'b', 'c']) await journal.calls(tool)
    rmSync(journal.path(1))
    const words = ['audit', 'verify', '--directory', journal.directory]
    const problem = /^PROBLEM audit-00000002\.jsonl:1: lines 1 to 2 of the journal are missing/
    for (const more of [[], ['--from', journal.name(2)]]) {
      const { code, stdout } = await installation.run([...words, ...more])
      expect([code, stdout]).toEqual([1, expect.stringMatching(problem)])
    }
  })
})

it('callboard doctor has a line about the journal', async () => {
  const installation = new Installation({ CALLBOARD_AUDIT: 'on' })
  mkdirSync(join(installation.data, 'audit'), { recursive: true, mode: 0o755 })
  expect((await installation.run(['doctor'])).stdout).toMatch(/audit: .*audit is open to other users/)
})

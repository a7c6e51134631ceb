import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Installation } from '../support/installation.js'

const main = { folder: 'main', tag: 'main', name: 'Main', admin: true }

function installationWith(groups: unknown, name = 'groups.json'): { installation: Installation; file: string } {
  const installation = new Installation()
  mkdirSync(installation.data, { mode: 0o700 })
  const file = join(installation.data, name)
  writeFileSync(file, typeof groups === 'string' ? groups : JSON.stringify({ groups }))
  return { installation, file }
}

it('shows the groups of a valid file', async () => {
  const runner = { kind: 'http', base_url: 'http://127.0.0.1:11434/v1', model: 'm' }
  const lab = { folder: 'lab', tag: 'research', name: 'The Lab', runner }
  const { installation, file } = installationWith([main, lab])
  const { code, stdout } = await installation.run(['groups', 'check'])
  expect(code).toBe(0)
  expect(stdout.split('\n')).toEqual([
    `${file} is valid.`,
    '',
    'FOLDER  TAG       ADMIN  RUNNER  NAME',
    'main    main      admin  -       Main',
    'lab     research  -      http    The Lab',
    '',
  ])
})

it('names everything that is wrong, and exits 1', async () => {
  const { installation, file } = installationWith([main, { ...main, folder: 'Lab', colour: 'red' }])
  const { code, stdout } = await installation.run(['groups', 'check'])
  expect(code).toBe(1)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.every((line) => line.startsWith(`${file}: groups[1]`))).toBe(true)
  expect(lines.length).toBeGreaterThanOrEqual(4)
  const json = await installation.run(['groups', 'check', '--json'])
  expect(json.code).toBe(1)
  const { problems, ...rest } = JSON.parse(json.stdout)
  expect(rest).toEqual({ file, valid: false, groups: null })
  expect(problems).toHaveLength(lines.length)
})

it('checks commands as the scheduler does', async () => {
  const runner = { kind: 'command', argv: ['agent'], result_from: '..', prompt_via: 'stdin' }
  const { installation } = installationWith([{ ...main, runner }])
  expect(await installation.run(['groups', 'check'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('groups[0].runner.result_from: '),
  })
})

it('takes the file that is named, or that the configuration names', async () => {
  const { installation } = installationWith('{', 'other.json')
  const other = join(installation.data, 'other.json')
  const named = await installation.run(['groups', 'check', other])
  expect(named).toMatchObject({ code: 1, stdout: expect.stringContaining(`${other}: is not JSON`) })
  const configured = await installation.run(['groups', 'check'], { GROUPS_FILE: 'other.json' })
  expect(configured).toEqual(named)
  const absent = await installation.run(['groups', 'check', '/nowhere/groups.json'])
  expect(absent).toEqual({ code: 1, stdout: '/nowhere/groups.json: there is no such file\n', stderr: '' })
})

it('without a file says that the scheduler makes one', async () => {
  const { code, stdout } = await new Installation().run(['groups', 'check'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/groups\.json is not there: the scheduler makes it, with the group main, when it starts\.\n$/)
})

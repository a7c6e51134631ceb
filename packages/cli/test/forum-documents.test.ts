import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { forumConfigKeys, parseForumConfig } from '@callboard/forum/config'
import { startForumServer } from '@callboard/forum/demo'
import { describe, expect, it } from 'vitest'
import { ForumFailure, failureCodes } from '../../forum/src/failure/forum-failure.js'
import { allResources } from '../../forum/src/resources/all-resources.js'
import { allTools } from '../../forum/src/tools/all-tools.js'
import { blocks, chapter, examples, isPrinted, rowsOf, ShellInstallation } from './support/documents.js'
import { checkout } from './support/installation.js'

const forUsers = textOf('docs/forum.md')
const forOperators = textOf('docs/forum-operations.md')

describe('the tables', () => {
  const tools = allTools({ config: parseForumConfig({}) } as never)
  const documented = rowsOf(chapter(forUsers, '## Tools', '## Resources')).filter(([name]) => /discourse_/.test(name!))
  const cellsOf = (name: string) => documented.find(([first]) => first === `\`${name}\``)!

  it('have every tool, each where it belongs, and none that there is not', () => {
    const reading = rowsOf(chapter(forUsers, '### Reading', '### Writing')).map(nameIn)
    const writing = rowsOf(chapter(forUsers, '### Writing', '## Resources')).map(nameIn)
    const named = (kind: string) => tools.filter((tool) => tool.kind === kind).map(({ name }) => name)
    expect(reading.slice(1).sort()).toEqual(['discourse_select_site', ...named('read')].sort())
    expect(writing.slice(1).sort()).toEqual(named('write').sort())
  })

  it.each(tools)('have every argument of $name, in bold where it must be given', ({ name, input }) => {
    const cell = cellsOf(name)[1]!
    // In several words, or with an apostrophe: a name has neither.
    const given = [...cell.matchAll(/(\*\*)?`(\w+)`/g)].map(([, bold, key]) => [key!, bold !== undefined] as const)
    const bold = given.filter(([, isBold]) => isBold).map(([key]) => key)
    const keys = Object.keys(input.shape).filter((key) => key !== 'idempotency_key')
    const required = keys.filter((key) => !input.shape[key].safeParse(undefined).success)
    expect(keys.filter((key) => !given.some(([named]) => named === key))).toEqual([])
    expect(bold.sort()).toEqual(required.sort())
  })

  it.each(tools)('have every key of the answer of $name', ({ name, output }) => {
    const cell = cellsOf(name)[2]!
    // These are common to many, and told of beside the tables.
    const common = ['meta', 'pending_post_id', 'pending_count']
    const keys = Object.keys(output.shape).filter((key) => !common.includes(key))
    expect(keys.filter((key) => !cell.includes(`\`${key}\``))).toEqual([])
  })

  it('have every resource, and none that there is not', () => {
    const named = rowsOf(chapter(forUsers, '## Resources', '## Paging')).map(nameIn)
    expect(named.slice(1)).toEqual(allResources.map(({ uri }) => uri))
  })

  it('have every code, and whether its call may be repeated', () => {
    const rows = rowsOf(chapter(forUsers, '## Errors', '## The inbox')).slice(1)
    const codes = rows.map(([code, retryable]) => [code!.replaceAll('`', ''), retryable])
    expect(codes).toEqual(failureCodes.map((code) => [code, new ForumFailure(code, '').retryable ? 'yes' : 'no']))
  })

  it('have every key of the configuration, and its default', () => {
    const rows = rowsOf(chapter(forOperators, '## Configuration', '**Precedence**')).slice(1)
    expect(rows.map(nameIn)).toEqual(forumConfigKeys.map(({ path }) => path))
    const inForce: Readonly<Record<string, unknown>> = { ...parseForumConfig({}) }
    for (const [key, written] of rows) {
      const name = key!.replaceAll('`', '').replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
      const value = inForce[name]
      if (['number', 'boolean', 'string'].includes(typeof value) && name !== 'logLevel') {
        expect([key, written!.replaceAll('`', '')]).toEqual([key, String(value)])
      }
    }
  })

  it('have every key of an entry of auth_pairs', () => {
    const named = [...chapter(forOperators, '## Keys', '**Give a key').matchAll(/`(\w+)`/g)].map(([, key]) => key!)
    const pair = (key: string) => ({ auth_pairs: [{ [key]: 'x' }] })
    const unknown = named.filter((key) => key !== 'auth_pairs' && /no such key/.test(problemsOf(pair(key))))
    expect(unknown).toEqual([])
    expect(named).toEqual(expect.arrayContaining(['site', 'user_api_client_id', 'http_basic_pass']))
  })
})

it('every section for the config file in the documents is valid', () => {
  const [profile, ...others] = blocks(forOperators, 'json').map((json) => JSON.parse(json))
  parseForumConfig(profile)
  expect(others).toEqual([{ forum: { profile: expect.stringMatching(/^~\//) } }])
  const sections = blocks(textOf('docs/operators.md'), 'json').flatMap((json) => JSON.parse(json).forum ?? [])
  expect(sections).toEqual([expect.objectContaining({ profile: others[0].forum.profile })])
  const { profile: _, ...section } = sections[0]
  parseForumConfig(section)
})

it('the commands of docs/forum.md run as they are written, and print what is written', async () => {
  const shell = new ShellInstallation({ CALLBOARD_WORKERS: 'forum' })
  const [demo, up, ...others] = examples(forUsers)
  const said = await shell.start(`${demo!.command} --port 0`, /callboard call .*\n.*\n/)
  const site = /http:\/\/127\.0\.0\.1:\d+/.exec(said)![0]
  expect(said.replaceAll(site, 'http://127.0.0.1:4200')).toContain(indented(up!.command))
  expect(isPrinted(demo!.printed!, said.replaceAll(site, 'http://127.0.0.1:4200'))).toBe(true)
  await shell.start(up!.command.replaceAll('http://127.0.0.1:4200', site), /forum +ready/)

  const calls = others.filter(({ command }) => !command.includes('select_site'))
  expect(calls.length).toBeGreaterThan(5)
  for (const { command, printed } of calls) {
    const { stdout, stderr } = await shell.run(command)
    expect(printed, command).toBeDefined()
    if (!isPrinted(printed!, pretty(stdout + stderr))) expect(pretty(stdout + stderr), command).toBe(printed)
  }
}, 60_000)

it('a profile as it is described is taken, the forum is selected as written, and one forum is for all', async () => {
  await using server = await startForumServer()
  const here = (text: string) => text.replace(/https:\/\/(forum\.example|meta\.discourse\.org)/g, server.base)
  const shell = new ShellInstallation({ CALLBOARD_WORKERS: 'forum' })
  const [paste, named, , tethered] = examples(forOperators)
  const [mkdir, cat] = paste!.command.split('\n')
  const profile = here(blocks(forOperators, 'json')[0]!).replace(
    /"0123456789abcdef0123456789abcdef"/,
    JSON.stringify(server.keys.admin.key),
  )
  expect((await shell.run(mkdir!)).code).toBe(0)
  expect((await shell.run(cat!, profile)).code).toBe(0)

  const [up, worker] = named!.command.split('\n')
  await shell.start(up!, /forum +ready/)
  const select = examples(forUsers).find(({ command }) => command.includes('select_site'))!
  const { stdout, ...ended } = await shell.run(here(select.command))
  expect(ended).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout.split('\n')[0]!).site).toBe(server.base)
  await shell.run('callboard down')

  await shell.start('callboard hub', /hub is up/)
  expect(await shell.start(worker!, /signed in/)).not.toMatch(/"level":40/)
  const said = await shell.start(here(tethered!.command), /signed in/)
  expect(said).toContain(`"site":"${server.base}"`)
  // A mistake of the forum's address, as it is told.
  const refusal = await shell.run(`CALLBOARD_FORUM__ALLOWED_SITES='[]' ${here(tethered!.command)}/nope`)
  expect({ code: refusal.code, isPrinted: isPrinted(tethered!.printed!, refusal.stderr) }).toEqual({
    code: 2,
    isPrinted: true,
  })
}, 60_000)

it('mistakes in the configuration are told as written', async () => {
  const { command, printed } = examples(forOperators).find(({ command }) => command.includes('--sitee'))!
  const { code, stderr } = await new ShellInstallation().run(command)
  expect({ code, stderr }).toEqual({ code: 2, stderr: printed })
})

const nameIn = ([name]: readonly string[]) => name!.replaceAll('`', '')

function problemsOf(section: unknown): string {
  try {
    parseForumConfig(section)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

/** Each line that is JSON, broken into lines as on a terminal. */
function pretty(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith('{') ? JSON.stringify(JSON.parse(line), undefined, 2) : line))
    .join('\n')
}

const indented = (text: string): string => text.replace(/^/gm, '  ')

function textOf(path: string): string {
  return readFileSync(join(checkout, path), 'utf8')
}

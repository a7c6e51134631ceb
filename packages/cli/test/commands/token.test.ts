import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { binary, collect, Installation, untilSaid } from '../support/installation.js'

function configured(agents: object): Installation {
  const installation = new Installation()
  mkdirSync(installation.data, { mode: 0o700 })
  writeFileSync(join(installation.data, 'callboard.config.json'), JSON.stringify({ agents }))
  return installation
}

const list = async (installation: Installation) =>
  JSON.parse((await installation.run(['token', 'list', '--json'])).stdout) as Record<string, unknown>[]

describe('callboard token new', () => {
  it('prints the token alone, and on stderr what it is', async () => {
    const installation = new Installation()
    const { code, stdout, stderr } = await installation.run(['token', 'new', 'ada', '--group', 'lab'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^cbt_[\w-]{43}\n$/)
    expect(stderr).toMatch(
      /^This is token tok:[0-9a-f]{8} of agent ada, good until it is revoked\. It is shown this once\.\n$/,
    )
    const file = join(installation.data, 'tokens.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(installation.data).mode & 0o777).toBe(0o700)
    expect(readFileSync(file, 'utf8')).not.toContain(stdout.trim().slice(4))
  })

  it('prints all of it as JSON', async () => {
    const installation = new Installation()
    const words = ['token', 'new', 'ada', '--role', 'operator', '--expires', '2h', '--json']
    const { token, ...described } = JSON.parse((await installation.run(words)).stdout)
    expect(token).toMatch(/^cbt_/)
    expect(described).toMatchObject({ name: 'ada', roles: ['agent', 'operator'], hasEnded: false })
    expect(described.expiresAt - described.createdAt).toBe(7_200_000)
    expect(await list(installation)).toEqual([described])
  })

  it('gives all tokens of an agent the same rights', async () => {
    const installation = new Installation()
    await installation.run(['token', 'new', 'ada', '--group', 'lab', '--role', 'operator'])
    expect((await installation.run(['token', 'new', 'ada'])).code).toBe(0)
    const { code, stderr } = await installation.run(['token', 'new', 'ada', '--group', 'other'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'callboard: Agent ada has a token with another group or role: revoke that first, or leave out --group and --role.\n',
    })
    const rights = (await list(installation)).map(({ roles, group }) => ({ roles, group }))
    expect(rights).toEqual(Array(2).fill({ roles: ['agent', 'operator'], group: 'lab' }))
  })

  it('leaves group and roles of an agent of the config to the config', async () => {
    const installation = configured({ ada: { group: 'family', roles: ['agent', 'operator'] } })
    const { code, stderr } = await installation.run(['token', 'new', 'ada', '--role', 'agent'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'callboard: The config names agent ada, and its group and roles: leave out --group and --role, or change the config.\n',
    })
    await installation.run(['token', 'new', 'ada'])
    expect(await list(installation)).toMatchObject([{ group: 'family', roles: ['agent', 'operator'] }])
    // What the config no longer says, the token does not say either.
    writeFileSync(join(installation.data, 'callboard.config.json'), '{}')
    expect(await list(installation)).toMatchObject([{ name: 'ada', roles: ['agent'] }])
  })

  it.each([
    [['a b'], /"a b" is no name: a name has A-Z.*/],
    [['x'.repeat(65)], /is no name/],
    [['operator'], /"operator" is the name of those who give none, or of the operator\./],
    [['http'], /"http" is the name of/],
    [['oauth.ada'], /"oauth.ada" begins with oauth\./],
    [['main'], /main is every local agent that says no name: "callboard token show"/],
    [['ada', '--expires', '59s'], /It must be a time like 90m, 12h, 30d or 4w, of at least 1m and at most 3650d/],
    [['ada', '--expires', '0m'], /It must be a time/],
    [['ada', '--expires', '3651d'], /It must be a time/],
    [['ada', '--role', 'king'], /Allowed choices are agent, operator/],
    [['ada', '--role', 'operator', '--role', 'agent'], /--role.*It may be given once/],
    [['ada', '--group', 'lab', '--group', 'lab'], /--group.*It may be given once/],
    [['ada', '--group', ''], /--group must have 1 to 64 characters/],
  ])('%j is a mistake that makes nothing', async (words, problem) => {
    const installation = new Installation()
    const { code, stdout, stderr } = await installation.run(['token', 'new', ...words])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(new RegExp(`^callboard: .*${problem.source}.*\\n$`))
    expect(existsSync(join(installation.data, 'tokens.json'))).toBe(false)
  })

  it('loses none when several are made at once', async () => {
    const installation = new Installation()
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.map((name) => installation.run(['token', 'new', name])))
    expect((await list(installation)).map(({ name }) => name).sort()).toEqual(names)
  })
})

describe('callboard token list', () => {
  it('is a table', async () => {
    const installation = new Installation()
    expect((await installation.run(['token', 'list'])).stdout).toMatch(/^There are no tokens: make one/)
    await installation.run(['token', 'new', 'ada', '--group', 'lab', '--expires', '1d'])
    const { stdout } = await installation.run(['token', 'list'])
    expect(stdout).toMatch(
      /^ID +NAME +ROLES +GROUP +CREATED +EXPIRES\ntok:[0-9a-f]{8} +ada +agent +lab +20\S+Z +20\S+Z\n$/,
    )
  })
})

describe('callboard token revoke', () => {
  it('ends one token by its id, or all of an agent', async () => {
    const installation = new Installation()
    for (const name of ['ada', 'ada', 'bob']) await installation.run(['token', 'new', name])
    const [first, second] = (await list(installation)) as { id: string }[]
    const one = await installation.run(['token', 'revoke', first!.id])
    expect(one).toMatchObject({ code: 0, stdout: `Revoked ${first!.id} of agent ada.\n`, stderr: '' })
    const all = await installation.run(['token', 'revoke', 'ada'])
    expect(all.stdout).toBe(`Revoked ${second!.id} of agent ada.\n`)
    const revokedAt = expect.any(Number)
    expect(await list(installation)).toMatchObject([
      { name: 'ada', hasEnded: true, revokedAt },
      { name: 'ada', hasEnded: true, revokedAt },
      { name: 'bob', hasEnded: false },
    ])
    expect((await installation.run(['token', 'list'])).stdout).toMatch(/ada .* revoked 20\S+Z\n/)
    expect(await installation.run(['token', 'revoke', 'ada'])).toMatchObject({
      code: 2,
      stderr: 'callboard: What is named ada is revoked already: "callboard token forget ada" removes it.\n',
    })
  })

  it('frees its agent for another group and role, and takes none over from what is revoked', async () => {
    const installation = new Installation()
    await installation.run(['token', 'new', 'ada', '--group', 'lab', '--role', 'operator'])
    await installation.run(['token', 'revoke', 'ada'])
    expect((await installation.run(['token', 'new', 'ada'])).code).toBe(0)
    const [, second] = await list(installation)
    expect(second).toMatchObject({ roles: ['agent'] })
    expect(second).not.toHaveProperty('group')
  })

  it('suggests what was meant', async () => {
    const installation = new Installation()
    await installation.run(['token', 'new', 'charlotte'])
    expect(await installation.run(['token', 'revoke', 'charlote'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'callboard: There is no token "charlote" (did you mean charlotte?): "callboard token list" lists them all.\n',
    })
  })
})

describe('callboard token forget', () => {
  it('removes what has ended, and says when an agent of the config is anybody’s again', async () => {
    const installation = configured({ ada: {}, boss: { roles: ['operator'] } })
    for (const name of ['ada', 'boss']) {
      await installation.run(['token', 'new', name])
      expect(await installation.run(['token', 'forget', name])).toMatchObject({
        code: 2,
        stderr: `callboard: What is named ${name} is still good: "callboard token revoke ${name}" ends it first.\n`,
      })
      await installation.run(['token', 'revoke', name])
    }
    const [{ id }] = (await list(installation)) as [{ id: string }]
    expect(await installation.run(['token', 'forget', id])).toMatchObject({
      code: 0,
      stdout: `Forgot ${id} of agent ada.\n`,
      stderr: expect.stringMatching(/^Agent ada has no token now: .*--as ada" needs none/),
    })
    expect((await installation.run(['token', 'forget', 'boss'])).stderr).toBe('')
    expect(await list(installation)).toEqual([])
  })

  it('leaves those of an agent that are good', async () => {
    const installation = configured({ ada: {} })
    for (const name of ['ada', 'ada']) await installation.run(['token', 'new', name])
    const [first, second] = (await list(installation)) as { id: string }[]
    await installation.run(['token', 'revoke', first!.id])
    expect((await installation.run(['token', 'forget', 'ada'])).stderr).toBe('')
    expect(await list(installation)).toMatchObject([{ id: second!.id, hasEnded: false }])
  })
})

it('asks a running hub what its config says of agents', async () => {
  const installation = configured({})
  const config = join(installation.directory, 'of-the-hub.json')
  writeFileSync(config, JSON.stringify({ agents: { plain: { group: 'lab' }, boss: { roles: ['agent', 'operator'] } } }))
  const hub = await installation.hub([], { CALLBOARD_CONFIG: config })
  const evil = ['token', 'new', 'plain', '--role', 'operator', '--group', 'evil']
  expect(await installation.run(evil)).toMatchObject({ code: 2, stderr: expect.stringContaining('The config names') })
  await installation.run(['token', 'new', 'boss'])
  expect(await list(installation)).toMatchObject([{ name: 'boss', roles: ['agent', 'operator'] }])
  hub.kill()
  await once(hub, 'exit')
  expect(await list(installation)).toMatchObject([{ name: 'boss', roles: ['agent'] }])
})

it('a broken token file is neither used nor changed', async () => {
  const installation = configured({})
  const file = join(installation.data, 'tokens.json')
  writeFileSync(file, '{')
  for (const words of [['new', 'ada'], ['list'], ['revoke', 'ada']]) {
    const { code, stderr } = await installation.run(['token', ...words])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^callboard: The token file .*tokens\.json is broken \(it is not JSON\): correct it, .*\n$/)
  }
  expect(readFileSync(file, 'utf8')).toBe('{')
  const up = await installation.run(['hub'])
  expect(up).toMatchObject({ code: 2, stderr: expect.stringContaining('tokens.json is broken') })
})

describe('callboard token show', () => {
  it('prints the local token, which is there from then on', async () => {
    const installation = new Installation()
    const { code, stdout } = await installation.run(['token', 'show'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^[\w-]{43}\n$/)
    expect((await installation.run(['token', 'show'])).stdout).toBe(stdout)
  })
})

it('a running hub takes a new token at once, and cuts off who stood on one that is revoked', async () => {
  const installation = new Installation()
  await installation.up()
  const token = (await installation.run(['token', 'new', 'ada'])).stdout.trim()
  const own = { CALLBOARD_TOKEN: token }
  const words = ['call', 'weave_eval', 'code=40 + 2']
  expect(await installation.run([...words, '--as', 'ada'], own)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('42'),
  })
  expect(await installation.run([...words, '--as', 'ada'])).toMatchObject({
    code: 2,
    stderr: 'callboard: Agent ada needs its token: set CALLBOARD_TOKEN to it.\n',
  })

  const shim = spawn(process.execPath, [binary, 'stdio'], {
    env: { ...installation.environment, ...own },
    stdio: 'pipe',
  })
  let said = ''
  shim.stderr.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const answers = createInterface({ input: shim.stdout })[Symbol.asyncIterator]()
  const say = (message: object) => shim.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const hear = async () => JSON.parse((await answers.next()).value as string)
  const clientInfo = { name: 'test', version: '1' }
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } })
  expect(await hear()).toMatchObject({ id: 1, result: {} })
  const code = 'import time\nprint("on", flush=True)\ntime.sleep(60)'
  const called = { name: 'weave_eval', arguments: { code }, _meta: { progressToken: 1 } }
  say({ id: 2, method: 'tools/call', params: called })
  expect(await hear()).toMatchObject({ method: 'notifications/progress' })
  const call = installation.spawn(['call', 'weave_eval', `code=${code}`, '--progress'], own)
  const complaint = collect(call.stderr)
  await untilSaid(call, call.stderr, /on/)

  await installation.run(['token', 'revoke', 'ada'])
  const ended = /^The token of this connection has ended: .* Whether this call took effect is unknown\.$/
  const data = { code: 'unauthorized', retryable: false }
  expect(await hear()).toMatchObject({ id: 2, error: { message: expect.stringMatching(ended), data } })
  say({ id: 3, method: 'tools/list' })
  expect(await hear()).toMatchObject({ id: 3, error: { data } })
  shim.stdin.end()
  expect(await once(shim, 'exit')).toEqual([2, null])
  expect(said).toMatch(/^callboard: The token of this connection has ended: .*\n$/)
  if (call.exitCode === null) await once(call, 'exit')
  expect([call.exitCode, complaint()]).toEqual([1, expect.stringMatching(/The token of this connection has ended/)])
  expect(await installation.run(words, own)).toMatchObject({ code: 2 })
  // Not everybody's now.
  expect(await installation.run([...words, '--as', 'ada'])).toMatchObject({ code: 2 })
})

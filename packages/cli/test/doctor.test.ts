import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { AuthorizationServer } from '../../hub/test/http/authorization-server.js'
import { freePort, Installation } from './support/installation.js'

async function findings(installation: Installation, variables: Record<string, string> = {}) {
  const { code, stdout } = await installation.run(['doctor', '--json'], variables)
  const found: { check: string; status: string; detail: string; remedy?: string }[] = JSON.parse(stdout).findings
  return { code, problems: found.filter(({ status }) => status === 'problem'), found }
}

it('finds nothing wrong where nothing is, with a hub and without', async () => {
  const installation = new Installation({ CALLBOARD_WORKERS: '' })
  expect(await findings(installation)).toMatchObject({ code: 0, problems: [] })
  await installation.up()
  const running = await findings(installation)
  expect(running).toMatchObject({ code: 0, problems: [] })
  expect(running.found).toContainEqual({ check: 'worker kernel', status: 'ok', detail: 'ready' })
})

it('finds directories, config, programs and ports that will not do, each with a remedy', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const installation = new Installation()
  mkdirSync(installation.data, { mode: 0o755 })
  const { code, problems } = await findings(installation, {
    CALLBOARD_RUNTIME: join(installation.directory, 'x'.repeat(100)),
    CALLBOARD_HTTP: `127.0.0.1:${port}`,
    PATH: '/nowhere',
  })
  server.close()
  expect(code).toBe(1)
  expect(problems.map(({ check }) => check)).toEqual(['data directory', 'python', 'socket path', 'http'])
  expect(problems.at(-1)?.detail).toContain(`process ${process.pid}`)
  expect(problems.every(({ remedy }) => remedy !== undefined)).toBe(true)
})

it.each([120, 300])('finds a runtime directory that is too long by name: %d', async (length) => {
  const installation = new Installation()
  const runtime = join(installation.directory, 'x'.repeat(length))
  const { code, problems } = await findings(installation, { CALLBOARD_RUNTIME: runtime })
  expect(code).toBe(1)
  expect(problems).toMatchObject([{ check: 'socket path', remedy: 'set CALLBOARD_RUNTIME to a shorter directory' }])
})

it('finds directories behind something that is none', async () => {
  const installation = new Installation()
  writeFileSync(join(installation.directory, 'file'), '')
  const { code, problems } = await findings(installation, {
    CALLBOARD_DATA: join(installation.directory, 'file', 'data'),
  })
  expect(code).toBe(1)
  expect(problems).toMatchObject([{ check: 'data directory', detail: expect.stringContaining('ENOTDIR') }])
})

it('reads the config as the hub does', async () => {
  const installation = new Installation({ CALLBOARD_WORKERS: '' })
  mkdirSync(installation.data, { mode: 0o700 })
  writeFileSync(
    join(installation.data, 'callboard.config.json'),
    '{"namespace": "often", "kernel": {"python": "/nowhere/python"}}',
  )
  const { code, problems } = await findings(installation)
  expect(code).toBe(1)
  expect(problems.map(({ check, detail }) => `${check}: ${detail}`)).toEqual([
    'python: /nowhere/python was not found',
    expect.stringMatching(/^config: .*namespace/),
  ])
  const file = '{"namespace": "often", "http": "on", "workers": ["kernel", "frob"], "kernel": {"maxKernels": 1.5}}'
  writeFileSync(join(installation.data, 'callboard.config.json'), file)
  const all = await findings(installation)
  expect(all.problems.map(({ detail }) => detail.replace(/.*config\.json: /, ''))).toEqual([
    'http: must be "off", or an object, like {"listen": "127.0.0.1:8765"}.',
    'namespace: must be never or always.',
    'workers: there is no worker frob; the built-in ones are: kernel, scheduler, social, forum, qda.',
    'kernel.maxKernels: must be a whole number.',
  ])
})

it('finds a worker that is missing', async () => {
  const installation = new Installation({ CALLBOARD_WORKERS: '' })
  const hub = installation.spawn(['hub'])
  await new Promise((resolve) => hub.stderr.once('data', resolve))
  const { code, problems } = await findings(installation)
  expect(code).toBe(1)
  expect(problems).toMatchObject([
    { check: 'worker kernel', detail: 'not signed in' },
    { check: 'worker scheduler', detail: 'not signed in' },
    { check: 'worker social', detail: 'not signed in' },
    { check: 'worker forum', detail: 'not signed in' },
    { check: 'worker qda', detail: 'not signed in' },
  ])
})

it('takes of a running hub what it was started with, not what this environment would start', async () => {
  const installation = new Installation()
  const started = { CALLBOARD_WORKERS: 'forum', CALLBOARD_AUDIT: 'on', CALLBOARD_PINNING: 'on' }
  await installation.up([], started)
  const { code, found } = await findings(installation, { CALLBOARD_WORKERS: '' })
  const ofHub = found.filter(({ check }) => ['audit', 'pinning'].includes(check) || check.startsWith('worker'))
  expect([code, ofHub.map(({ check, status, detail }) => [check, status, detail])]).toEqual([
    0,
    [
      ['pinning', 'ok', 'on, 0 definitions accepted'],
      ['audit', 'ok', expect.stringContaining(join(installation.data, 'audit'))],
      ['worker forum', 'ok', 'ready'],
      [
        'worker forum',
        'note',
        expect.stringMatching(/^held back until an operator accepts: (\w+, ){4}\w+ and \d+ more$/),
      ],
    ],
  ])
})

it('looks at the tokens, and at whether secrets are so', async () => {
  const installation = new Installation()
  const file = join(installation.data, 'tokens.json')
  await installation.run(['token', 'new', 'ada'])
  expect((await findings(installation)).found).toContainEqual({ check: 'tokens', status: 'ok', detail: '1 good' })

  const hash = '0'.repeat(64)
  const over = { id: 'tok:00000001', name: 'bob', hash, roles: ['agent'], createdAt: 0, expiresAt: 1 }
  const { version, tokens } = JSON.parse(readFileSync(file, 'utf8'))
  const revoked = { ...over, id: 'tok:00000002', hash: '1'.repeat(64), revokedAt: 1 }
  writeFileSync(file, JSON.stringify({ version, tokens: [...tokens, over, revoked] }))
  const expired = await findings(installation)
  expect(expired.code).toBe(0)
  const detail = '1 good, 1 over: tok:00000001 of bob'
  expect(expired.found).toContainEqual(expect.objectContaining({ check: 'tokens', status: 'note', detail }))

  writeFileSync(file, 'broken')
  chmodSync(file, 0o644)
  const { code, problems } = await findings(installation)
  expect(code).toBe(1)
  expect(problems).toMatchObject([
    { check: 'secrets', detail: `${file} is open to other users`, remedy: `run chmod 600 ${file}` },
    { check: 'tokens', detail: expect.stringContaining('it is not JSON') },
  ])
})

it('asks the authorization server for its keys', async () => {
  const server = await AuthorizationServer.start()
  const installation = new Installation({ CALLBOARD_HTTP: `127.0.0.1:${await freePort()}` })
  mkdirSync(installation.data, { mode: 0o700 })
  const configure = (oauth: object) => {
    const http = { publicUrl: 'https://callboard.example', oauth }
    writeFileSync(join(installation.data, 'callboard.config.json'), JSON.stringify({ http }))
  }
  configure({ issuer: server.url })
  expect(await findings(installation)).toMatchObject({
    code: 0,
    found: expect.arrayContaining([{ check: 'oauth', status: 'ok', detail: `${server.url} gives its keys` }]),
  })
  expect(server.asked).toEqual(['/.well-known/oauth-authorization-server', '/keys'])

  configure({ issuer: server.url, jwksUri: `${server.url}/lost` })
  const detail = expect.stringContaining('/lost answered with status 404')
  const lost = { check: 'oauth', detail, remedy: expect.stringMatching(/^correct http\.oauth\.jwksUri,/) }
  expect(await findings(installation)).toMatchObject({ code: 1, problems: [lost] })

  server.stop()
  const down = { check: 'oauth', detail: expect.stringContaining('ECONNREFUSED') }
  expect(await findings(installation)).toMatchObject({ code: 1, problems: [down] })
})

it('says what stands between kernels and this machine, and that a required sandbox is missing', async () => {
  const installation = new Installation()
  const sandboxOf = async (variables?: Record<string, string>) =>
    (await findings(installation, variables)).found.find(({ check }) => check === 'kernel sandbox')
  expect(await sandboxOf()).toMatchObject({
    detail: expect.stringMatching(/^bubblewrap .*no network|^none \(.+\): .*advisory/),
  })
  const empty = join(installation.directory, 'empty')
  mkdirSync(empty)
  expect(await sandboxOf({ PATH: empty })).toMatchObject({
    status: 'note',
    detail: expect.stringMatching(/^none \(.+\): code runs as the user of this worker.*approvals are advisory/),
  })
  const config = join(installation.directory, 'required.json')
  writeFileSync(config, JSON.stringify({ kernel: { sandbox: 'required' } }))
  expect(await sandboxOf({ PATH: empty, CALLBOARD_CONFIG: config })).toMatchObject({
    status: 'problem',
    detail: expect.stringMatching(/A sandbox is required and there is none/),
  })
})

it('notes a groups file that leaves nameless agents without a group', async () => {
  const installation = new Installation({ CALLBOARD_WORKERS: 'scheduler' })
  mkdirSync(installation.data, { mode: 0o700 })
  const groups = [{ folder: 'lab', tag: 'lab', name: 'Lab', admin: true }]
  writeFileSync(join(installation.data, 'groups.json'), JSON.stringify({ groups }))
  const note = { check: 'groups', status: 'note', detail: expect.stringContaining('refuse every agent without a name') }
  expect((await findings(installation)).found).toContainEqual(expect.objectContaining(note))
  writeFileSync(join(installation.data, 'callboard.config.json'), JSON.stringify({ agents: { ada: { group: 'lab' } } }))
  expect((await findings(installation)).found).toContainEqual(
    expect.objectContaining({ check: 'groups', status: 'ok' }),
  )
})

it('says which groups there are, and what is missing for mail', async () => {
  const installation = new Installation({ CALLBOARD_WORKERS: 'scheduler' })
  const schedulers = async (variables: Record<string, string> = {}) => {
    const { found } = await findings(installation, variables)
    return found.filter(({ check }) => check.startsWith('mail') || check === 'groups')
  }
  const file = join(installation.data, 'groups.json')
  expect(await schedulers()).toMatchObject([
    { check: 'groups', status: 'ok', detail: `none yet: the scheduler makes ${file}, with the group main` },
    {
      check: 'mail out',
      status: 'note',
      detail: 'messages to people are held: SMTP_URL, MAIL_ADDRESS, NOTIFICATION_EMAIL are not set',
    },
    { check: 'mail triggers', detail: expect.stringMatching(/^trigger_email is refused: SMTP_URL, IMAP_URL, /) },
  ])
  mkdirSync(installation.data, { recursive: true, mode: 0o700 })
  writeFileSync(
    file,
    '{"groups": [{"folder": "a", "tag": "a", "name": "A"}, {"folder": "b", "tag": "a", "name": "B"}]}',
  )
  const key = '12345678901234567890123456789012'
  const mail = { SMTP_URL: 'smtp://ada:pw@127.0.0.1', MAIL_ADDRESS: 'ada@example.org', IMAP_URL: 'imap://127.0.0.1' }
  const found = await schedulers({
    ...mail,
    MAIL_HMAC_KEY: key,
    CALLBOARD_SCHEDULER__NOTIFICATION_EMAIL: 'bob@b.example',
  })
  expect(found.map(({ check, status }) => [check, status])).toEqual([
    ['groups', 'problem'],
    ['groups', 'problem'],
    ['mail out', 'ok'],
    ['mail triggers', 'ok'],
  ])
  expect(JSON.stringify(found)).not.toMatch(/pw@|1234567890/)
})

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent } from './agent.js'
import { readComposeFile } from './compose-file.js'
import { checkHardening, imageUser } from './hardening.js'
import { Report } from './report.js'
import { Stack } from './stack.js'

/**
 * Starts what `docker-compose.yml` says without a container engine: every service's command, with the file's environment,
 * volumes, secrets, user and networks, each in namespaces of its own. Needs root, iproute2, bubblewrap and docker-compose.
 */
const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const workers = ['kernel', 'scheduler', 'social', 'forum', 'qda']
const healthTimeoutMs = 60_000
/** A worker's file is old after 20 s. */
const unhealthyTimeoutMs = 40_000

/** Nothing of this may hang a build; it takes a minute. */
setTimeout(() => {
  process.stdout.write('deploy: did not end within 4 minutes\ndeploy: 0 passed, 1 failed\n')
  process.exit(1)
}, 240_000).unref()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const report = new Report()
await checkFiles()
const missing = whatIsMissing()
if (missing === undefined) await checkServices()
else process.stdout.write(`  - the services do not run here: ${missing}\n`)
process.exit(report.end())

async function checkFiles(): Promise<void> {
  await report.step('compose takes the file, with what is set where it runs', () => {
    const { services } = readComposeFile(checkout, { SMTP_URL: 'smtp://mail.example' })
    assert.deepEqual(Object.keys(services).sort(), [...workers, 'http', 'hub', 'keys', 'postgres'].sort())
    assert.equal(services['scheduler']?.environment?.['SMTP_URL'], 'smtp://mail.example')
  })
  await report.step('every service is contained', () => checkHardening(readComposeFile(checkout, {})))
  await report.step('the image is not run as root', () => {
    assert.equal(imageUser(readFileSync(join(checkout, 'Dockerfile'), 'utf8')), 'node')
  })
  await report.step('systemd takes the units', verifyUnits)
}

/** The units name a program that is installed with them. */
function verifyUnits(): void {
  const directory = mkdtempSync(join(tmpdir(), 'callboard-units-'))
  try {
    cpSync(join(checkout, 'scripts', 'systemd'), directory, { recursive: true })
    for (const name of readdirSync(directory).filter((each) => each.endsWith('.service'))) {
      const file = join(directory, name)
      writeFileSync(file, readFileSync(file, 'utf8').replace('=/usr/local/bin/callboard ', `=${process.execPath} `))
    }
    const template = join(directory, 'callboard-worker@.service')
    for (const name of workers) copyFileSync(template, join(directory, `callboard-worker@${name}.service`))
    for (const name of ['hub', ...workers.map((worker) => `worker@${worker}`)]) {
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', `./callboard-${name}.service`], {
        cwd: directory,
        encoding: 'utf8',
      })
      // Of an unknown line it only warns.
      assert.deepEqual([status, stderr], [0, ''])
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function whatIsMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'it takes root to make networks'
  try {
    execFileSync('bwrap', ['--ro-bind', '/', '/', 'true'])
    execFileSync('ip', ['netns', 'list'])
  } catch (error) {
    return (error as Error).message
  }
  return undefined
}

async function checkServices(): Promise<void> {
  const before = namespaces()
  const stack = new Stack(checkout, { DATABASE_URL: 'postgres://callboard@postgres/callboard' })
  const hub = stack.container('hub')
  const http = stack.container('http')
  try {
    const isUp = await start(stack)
    if (isUp) await checkRunning(stack)
    await report.step('told to end, every service ends in its time', async () => {
      for (const container of [
        ...workers.map((name) => stack.container(name)),
        http,
        hub,
        stack.container('postgres'),
      ]) {
        assert.ok(await container.stop(), `${container.name} had to be killed: ${container.output.slice(-1000)}`)
      }
    })
  } finally {
    await stack[Symbol.asyncDispose]()
  }
  await report.step('nothing is left behind', () => assert.deepEqual(namespaces(), before))
}

function namespaces(): readonly string[] {
  const lines = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.startsWith(`cbd${process.pid}`))
}

/** Resolves with whether there is something to look at. */
async function start(stack: Stack): Promise<boolean> {
  const keys = stack.container('keys')
  const madeKeys = await report.step('the keys are made, once', async () => {
    await keys.start()
    const first = await keys.ended()
    assert.equal(first.code, 0, first.stdout)
    const made = filesIn(stack.secrets)
    await keys.start()
    assert.equal((await keys.ended()).code, 0)
    assert.deepEqual(filesIn(stack.secrets), made)
  })
  if (!madeKeys) return false
  await report.step('PostgreSQL becomes healthy', () => startHealthy(stack, 'postgres'))
  if (!(await report.step('the hub becomes healthy', () => startHealthy(stack, 'hub')))) return false
  const started = workers.map((name) =>
    report.step(`${name} signs in by its key and becomes healthy`, () => startHealthy(stack, name)),
  )
  return (await Promise.all(started)).every(Boolean)
}

async function startHealthy(stack: Stack, name: string): Promise<void> {
  const container = stack.container(name)
  await container.start()
  await container.untilHealth(true, healthTimeoutMs)
}

/** Name → content. */
function filesIn(directory: string): Readonly<Record<string, string>> {
  return Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]))
}

async function checkRunning(stack: Stack): Promise<void> {
  const hub = stack.container('hub')
  await report.step('the hub knows each worker by the name of its key', async () => {
    const snapshot = await readSnapshot(stack)
    const found = snapshot.workers.map(({ service, key, trusted }) => [service, key, trusted])
    assert.deepEqual(found.sort(), workers.map((name) => [name, name, true]).sort())
  })
  await report.step('an MCP client on stdio calls a tool of each worker', () => callEach(stack))
  await report.step('the workers keep their data in PostgreSQL', () => {
    for (const name of workers) {
      const files = readdirSync(join(stack.directory, 'volumes', `${name}-data`))
      assert.deepEqual(
        files.filter((file) => /\.(db|sqlite3?)\b/.test(file)),
        [],
        `${name} has a database of its own`,
      )
    }
  })
  await checkContainment(stack)
  await checkHttp(stack)
  await report.step('a worker that is restarted comes back', async () => {
    const kernel = stack.container('kernel')
    assert.ok(await kernel.stop(), 'kernel had to be killed')
    assert.equal((await readSnapshot(stack)).workers.length, workers.length - 1)
    await startHealthy(stack, 'kernel')
    await callEach(stack)
  })
  await report.step('the hub is killed: its workers are unhealthy, and come back with it', async () => {
    hub.kill()
    await hub.ended()
    await Promise.all(workers.map((name) => stack.container(name).untilHealth(false, unhealthyTimeoutMs)))
    await startHealthy(stack, 'hub')
    await Promise.all(workers.map((name) => stack.container(name).untilHealth(true, healthTimeoutMs)))
    await callEach(stack)
  })
  await checkStopped(stack)
  await checkHubKey(stack)
  await checkRevocation(stack)
}

interface Snapshot {
  readonly workers: readonly {
    readonly service: string
    readonly instance: string
    readonly key?: string
    readonly trusted: boolean
  }[]
}

async function readSnapshot(stack: Stack): Promise<Snapshot> {
  const { code, stdout, stderr } = await stack.container('hub').exec(['callboard', 'ls', '--json'])
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout).snapshot
}

async function callEach(stack: Stack): Promise<void> {
  await using agent = await Agent.connect(stack.container('hub'))
  assert.match(await agent.call('weave_eval', { code: '6 * 7' }), /42/)
  assert.match(await agent.call('list_tasks'), /task/)
  assert.match(await agent.call('get_mode'), /composer/)
  assert.match(await agent.call('get_pending_count'), /count/)
  // Without a project, and without a way out: the refusals are the workers' own.
  await assert.rejects(agent.call('list_pending'), /open_project/)
  await assert.rejects(agent.call('discourse_select_site', { site: 'https://forum.invalid' }), /forum\.invalid/)
}

async function checkContainment(stack: Stack): Promise<void> {
  await report.step('each runs as its user, without capabilities, and can’t write its root', async () => {
    for (const container of [...workers, 'hub'].map((name) => stack.container(name))) {
      const { stdout } = await container.exec([
        'sh',
        '-c',
        'id -u; grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/1/status /proc/self/status',
      ])
      assert.match(stdout, /^1000\n/, container.name)
      assert.match(stdout, /self\/status:CapEff:\s+0{16}\n/, container.name)
      assert.match(stdout, /self\/status:CapBnd:\s+0{16}\n/, container.name)
      assert.match(stdout, /self\/status:NoNewPrivs:\s+1\n/, container.name)
      const written = await container.exec(['sh', '-c', 'touch /here || touch /opt/callboard/here || touch /etc/here'])
      assert.match(written.stderr, /Read-only file system/, container.name)
    }
  })
  await report.step('no worker sees the hub’s secrets, nor another’s key', async () => {
    for (const name of workers) {
      const { stdout } = await stack
        .container(name)
        .exec(['sh', '-c', 'ls /run/secrets; find / -xdev -name "*.secret" 2>/dev/null'])
      assert.deepEqual(stdout.trim().split('\n').sort(), ['hub_key', `${name}_key`, 'pgpass'].sort())
    }
  })
}

async function checkHttp(stack: Stack): Promise<void> {
  await report.step('HTTP at the published port: nothing without a token', async () => {
    await startHealthy(stack, 'http')
    const made = await stack.container('hub').exec(['callboard', 'token', 'new', 'deploy'])
    assert.equal(made.code, 0, made.stderr)
    assert.match(
      post(stack, { jsonrpc: '2.0', id: 1, method: 'ping' }),
      /^HTTP\/1\.1 401 [\s\S]*^WWW-Authenticate: Bearer/im,
    )
    const tools = await toolsOverHttp(stack, made.stdout.trim())
    assert.ok(tools.includes('weave_eval') && tools.includes('discourse_search'), tools.join(', '))
  })
}

/** From outside of all containers. */
async function toolsOverHttp(stack: Stack, token: string): Promise<readonly string[]> {
  const clientInfo = { name: 'deploy', version: '1.0.0' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const authorization = [`Authorization: Bearer ${token}`]
  const welcome = post(stack, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, authorization)
  const session = /^mcp-session-id: (\S+)/im.exec(welcome)?.[1]
  const headers = session === undefined ? authorization : [...authorization, `Mcp-Session-Id: ${session}`]
  const answer = post(stack, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers)
  const { result } = JSON.parse(/^(?:data: )?(\{.*\})$/m.exec(answer)![1]!)
  return (result.tools as readonly { readonly name: string }[]).map(({ name }) => name)
}

/** The answer with its head, as a client gets it that knows the port by the machine's name for it. */
function post(stack: Stack, message: object, headers: readonly string[] = []): string {
  const url = `http://${stack.networks.addressOf('hub', 'outside')}:8764/mcp`
  const types = ['Content-Type: application/json', 'Accept: application/json, text/event-stream']
  const lines = ['Host: 127.0.0.1:8765', ...types, ...headers].flatMap((line) => ['-H', line])
  const words = ['-s', '-i', '-m', '10', '-d', JSON.stringify(message), ...lines, url]
  return execFileSync('ip', ['netns', 'exec', stack.networks.outside, 'curl', ...words], { encoding: 'utf8' })
}

async function checkStopped(stack: Stack): Promise<void> {
  await report.step('a worker whose event loop stands still is unhealthy', async () => {
    const qda = stack.container('qda')
    qda.signal('SIGSTOP')
    await qda.untilHealth(false, unhealthyTimeoutMs)
    qda.signal('SIGCONT')
    await qda.untilHealth(true, healthTimeoutMs)
  })
}

async function checkHubKey(stack: Stack): Promise<void> {
  await report.step(
    'the hub gets another key, and its workers find it with that, without a restart of theirs',
    async () => {
      const hub = stack.container('hub')
      const keys = async (...words: readonly string[]) => {
        const { code, stdout, stderr } = await hub.exec(['callboard', 'keys', 'hub', ...words])
        assert.equal(code, 0, stderr)
        return stdout
      }
      const both = await keys('--new')
      const setup = stack.container('keys')
      await setup.start()
      assert.equal((await setup.ended()).code, 0, setup.output)
      assert.equal(readFileSync(join(stack.secrets, 'hub.pub'), 'utf8'), both)
      await Promise.all(workers.map((name) => stack.container(name).restart()))
      for (const name of workers) await stack.container(name).untilHealth(true, healthTimeoutMs)
      const instances = async () => (await readSnapshot(stack)).workers.map(({ instance }) => instance).sort()
      const before = await instances()
      assert.equal(await keys('--switch'), both.slice(both.indexOf('\n') + 1))
      await hub.restart()
      await hub.untilHealth(true, healthTimeoutMs)
      for (const name of workers) await stack.container(name).untilHealth(true, healthTimeoutMs)
      await callEach(stack)
      assert.deepEqual(await instances(), before)
    },
  )
}

async function checkRevocation(stack: Stack): Promise<void> {
  await report.step('a worker whose key is revoked is put out, and no restart brings it back', async () => {
    const forum = stack.container('forum')
    const revoked = await stack.container('hub').exec(['callboard', 'keys', 'revoke', 'forum'])
    assert.equal(revoked.code, 0, revoked.stderr)
    const services = async () => (await readSnapshot(stack)).workers.map(({ service }) => service)
    assert.ok(!(await services()).includes('forum'))
    await forum.untilHealth(false, unhealthyTimeoutMs)
    await forum.restart()
    await pause(3_000)
    assert.equal(await forum.isHealthy(), false)
    assert.deepEqual((await services()).sort(), workers.filter((name) => name !== 'forum').sort())
  })
  await report.step('authorized again, it is back', async () => {
    const forum = stack.container('forum')
    await forum.stop()
    // The setup, once more: without its key file a worker gets a new key.
    rmSync(join(stack.secrets, 'forum.key'))
    const keys = stack.container('keys')
    await keys.start()
    assert.equal((await keys.ended()).code, 0, keys.output)
    await startHealthy(stack, 'forum')
    await callEach(stack)
  })
}

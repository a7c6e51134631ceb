import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { collect, freePort, Installation, untilSaid } from '../support/installation.js'

const greeter = fileURLToPath(new URL('../../../../examples/greeter/worker.js', import.meta.url))
const slow = 120_000

/** A hub that listens for workers on other machines, and greeters that come to it by key. */
class Site {
  readonly installation: Installation
  readonly hub: ChildProcess
  readonly #endpoint: string

  private constructor(installation: Installation, hub: ChildProcess, endpoint: string) {
    this.installation = installation
    this.hub = hub
    this.#endpoint = endpoint
  }

  static async open(): Promise<Site> {
    const endpoint = `tcp://127.0.0.1:${await freePort()}`
    const installation = new Installation({ CALLBOARD_LISTEN: endpoint })
    return new Site(installation, await installation.hub(), endpoint)
  }

  get list(): string {
    return join(this.installation.data, 'authorized-workers')
  }

  async print(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.installation.run(words)
    expect([code, stderr]).toEqual([0, expect.anything()])
    return stdout.trim()
  }

  async json<Value>(...words: readonly string[]): Promise<Value> {
    return JSON.parse(await this.print(...words, '--json')) as Value
  }

  keyFile = (name: string) => join(this.installation.directory, `${name}.key`)

  newKey = (name: string) => this.print('keys', 'new', 'greeter', '--out', this.keyFile(name))

  async authorizedKey(name: string): Promise<string> {
    const key = await this.newKey(name)
    await this.print('keys', 'authorize', 'greeter', key)
    return key
  }

  start(name: string, hubKey: string): ChildProcessWithoutNullStreams {
    const { environment, directory } = this.installation
    const own = { CALLBOARD_HUB: this.#endpoint, CALLBOARD_HUB_KEY: hubKey, CALLBOARD_KEY_FILE: this.keyFile(name) }
    const worker = spawn(process.execPath, [greeter], {
      env: { ...environment, ...own },
      cwd: directory,
      stdio: 'pipe',
    })
    worker.stdout.resume()
    return worker
  }

  async signedIn(name: string, hubKey: string): Promise<ChildProcessWithoutNullStreams> {
    const worker = this.start(name, hubKey)
    await untilSaid(worker, worker.stderr, /signed in/)
    return worker
  }

  async counters(): Promise<Record<string, number>> {
    const { snapshot } = await this.json<{ snapshot: { counters: Record<string, number> } }>('ls')
    return snapshot.counters
  }

  async findings(): Promise<readonly { check: string; status: string; detail: string }[]> {
    const { stdout } = await this.installation.run(['doctor', '--json'])
    return (JSON.parse(stdout) as { findings: { check: string; status: string; detail: string }[] }).findings
  }

  greeting = () => this.print('call', 'greet', 'name=Ada')
}

const said = (worker: ChildProcessWithoutNullStreams, words: RegExp) => untilSaid(worker, worker.stderr, words)

describe('another key for the hub', () => {
  it('is prepared, told to workers and switched to; who knows both serves on', { timeout: slow }, async () => {
    const site = await Site.open()
    const former = await site.print('keys', 'hub')
    await site.authorizedKey('one')
    const both = await site.print('keys', 'hub', '--new')
    const [first, next] = both.split('\n')
    expect([first, next]).toEqual([former, expect.stringMatching(/^\S{40}$/)])
    expect(await site.print('keys', 'hub', '--new')).toBe(both)
    const worker = await site.signedIn('one', both.replace('\n', ','))
    const left = await site.signedIn('one', former)
    expect(await site.print('keys', 'hub', '--switch')).toBe(next)
    expect(await site.findings()).toContainEqual(
      expect.objectContaining({ check: 'keys', status: 'note', detail: expect.stringContaining(former) }),
    )
    const back = said(worker, /signed in/)
    const locked = said(left, /its key is not /)
    await site.print('down')
    await site.installation.hub()
    await back
    expect(await locked).toContain(former)
    expect(await site.greeting()).toContain('Hello Ada')
    expect([worker.exitCode, await site.print('keys', 'hub')]).toEqual([null, next])
    const old = join(site.installation.data, 'hub.key.old')
    expect([readFileSync(old, 'utf8'), statSync(old).mode & 0o777]).toEqual([
      expect.stringContaining(`public ${former}\n`),
      0o600,
    ])
  })

  it('is not switched to before it is prepared', async () => {
    const installation = new Installation()
    const { code, stderr } = await installation.run(['keys', 'hub', '--switch'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('No key is prepared: run "callboard keys hub --new"')])
    const both = await installation.run(['keys', 'hub', '--switch', '--new'])
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('Give --new first')])
  })
})

it('tells the workers of two keys of one name apart, and revokes one of them alone', { timeout: slow }, async () => {
  const site = await Site.open()
  const hubKey = await site.print('keys', 'hub')
  const [one, two] = [await site.authorizedKey('one'), await site.authorizedKey('two')]
  await site.signedIn('one', hubKey)
  await site.signedIn('two', hubKey)
  await site.signedIn('two', hubKey)
  const shown = await site.print('ls')
  expect(shown).toMatch(/^by key tcp:\/\/127\.0\.0\.1:\d+$/m)
  expect(shown.match(/untrusted, key greeter /g)).toHaveLength(3)
  const listed = await site.json<{ key: string; workers: { instance: string }[] }[]>('keys', 'list')
  expect(listed.map(({ key, workers }) => [key, workers.length])).toEqual([
    [one, 1],
    [two, 2],
  ])
  const { revoked, cutOff } = await site.json<{ revoked: object[]; cutOff: object[] }>('keys', 'revoke', two)
  expect(revoked).toEqual([{ name: 'greeter', key: two }])
  expect(cutOff).toMatchObject(listed[1]!.workers)
  const left = await site.json<{ key: string; workers: object[] }[]>('keys', 'list')
  expect(left.map(({ key, workers }) => [key, workers])).toEqual([[one, listed[0]!.workers]])
  expect(await site.greeting()).toContain('Hello Ada')
})

describe('a worker whose key is good no more', () => {
  it('is cut off at the end of its key, stays away, and is back with a longer one', { timeout: slow }, async () => {
    const site = await Site.open()
    const hubLog = collect(site.hub.stderr!)
    const key = await site.authorizedKey('one')
    const worker = await site.signedIn('one', await site.print('keys', 'hub'))
    const refused = said(worker, /was revoked or has expired/)
    const end = Date.now() + 1_000
    writeFileSync(site.list, `greeter ${key} expires=${new Date(end).toISOString()}\n`)
    await refused
    // It asks again and again, in the same process.
    await vi.waitFor(
      async () => expect((await site.counters())['sign_in_refused.key_refused']).toBeGreaterThan(1),
      20_000,
    )
    expect(await site.json('keys', 'list')).toMatchObject([{ isOver: true, workers: [] }])
    const lost = hubLog()
      .split('\n')
      .filter((line) => line.includes('worker was lost'))
    expect(lost.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ reason: 'key_expired' })])
    expect(Date.parse(JSON.parse(lost[0]!).time)).toBeGreaterThanOrEqual(end)
    const back = said(worker, /signed in/)
    await site.print('keys', 'authorize', 'greeter', key, '--expires', '30d')
    await back
    expect(worker.exitCode).toBeNull()
  })

  it('goes on trying when it is revoked, and ends well when it is told to', { timeout: slow }, async () => {
    const site = await Site.open()
    await site.authorizedKey('one')
    const worker = await site.signedIn('one', await site.print('keys', 'hub'))
    const refused = said(worker, /was revoked or has expired/)
    await site.print('keys', 'revoke', 'greeter')
    await refused
    await vi.waitFor(
      async () => expect((await site.counters())['sign_in_refused.key_refused']).toBeGreaterThan(0),
      20_000,
    )
    expect(worker.exitCode).toBeNull()
    const ended = once(worker, 'exit')
    worker.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})

it.each([
  [
    'no key file',
    { CALLBOARD_KEY_FILE: '/nowhere/worker.key' },
    /CALLBOARD_KEY_FILE: there is no \/nowhere\/worker\.key/,
  ],
  ['no key of the hub', { CALLBOARD_HUB_KEY: 'none' }, /CALLBOARD_HUB_KEY: is no key of 40 characters/],
])('a worker with %s ends with exit code 2, at which supervisors leave it be', async (_, wrong, problem) => {
  const installation = new Installation()
  const hubKey = (await installation.run(['keys', 'hub'])).stdout.trim()
  await installation.run(['keys', 'new', 'kernel'])
  const right = { CALLBOARD_KEY_FILE: join(installation.data, 'keys', 'kernel.key'), CALLBOARD_HUB_KEY: hubKey }
  const variables = { CALLBOARD_HUB: 'tcp://127.0.0.1:1', ...right, ...wrong }
  const { code, stderr } = await installation.run(['worker', 'kernel'], variables)
  expect([code, stderr]).toEqual([2, expect.stringMatching(problem)])
})

describe('a key that has just been authorized', () => {
  it('is good at the first try', { timeout: slow }, async () => {
    const site = await Site.open()
    const hubKey = await site.print('keys', 'hub')
    await site.authorizedKey('one')
    await site.signedIn('one', hubKey)
    const counters = await site.counters()
    expect(Object.keys(counters).filter((name) => /^(handshakes|sign_in)_refused/.test(name))).toEqual([])
  })

  it('lets in who has been refused before', { timeout: slow }, async () => {
    const site = await Site.open()
    const key = await site.newKey('one')
    const worker = site.start('one', await site.print('keys', 'hub'))
    await said(worker, /does not admit this worker's key/)
    const signedIn = said(worker, /signed in/)
    await site.print('keys', 'authorize', 'greeter', key)
    await signedIn
    expect(await site.greeting()).toContain('Hello Ada')
  })
})

describe('callboard doctor beside a hub that listens', () => {
  it('tells what the hub does, whatever the environment says', { timeout: slow }, async () => {
    const site = await Site.open()
    const elsewhere = join(site.installation.directory, 'other-list')
    const variables = { CALLBOARD_LISTEN: '', CALLBOARD_AUTHORIZED_WORKERS: elsewhere }
    const { stdout } = await site.installation.run(['doctor', '--json'], variables)
    const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string; detail: string }[] }
    expect(findings.filter(({ check }) => ['listen', 'allow-list'].includes(check))).toMatchObject([
      { check: 'listen', status: 'ok', detail: expect.stringMatching(/127\.0\.0\.1\]?:\d+$/) },
      { check: 'allow-list', status: 'problem', detail: expect.stringContaining(`the hub reads ${site.list},`) },
      { check: 'allow-list', status: 'problem', detail: expect.stringContaining(`${site.list} has no key`) },
    ])
  })

  it('warns when strangers can use up what files the hub may open', { timeout: slow }, async () => {
    const site = await Site.open()
    const warnings = async () => (await site.findings()).filter(({ check }) => check === 'open files')
    expect(await warnings()).toEqual([])
    const limited = spawn('prlimit', [`--pid=${site.hub.pid}`, '--nofile=1024'])
    expect(await once(limited, 'exit')).toEqual([0, null])
    expect(await warnings()).toMatchObject([{ status: 'note', detail: expect.stringContaining('may have 1024 files') }])
  })
})

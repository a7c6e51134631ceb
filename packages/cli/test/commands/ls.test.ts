import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fakeHub, statusOf, workerOf } from '../support/fake-hub.js'
import { freePort, Installation } from '../support/installation.js'

const evil = '\x1b]0;PWNED\x07\nFAKE ROW'
const shown = '\\u001b]0;PWNED\\u0007\\u000aFAKE ROW'

async function hubWithEvilNames(): Promise<Installation> {
  const installation = new Installation()
  const refused = [{ name: evil, message: `not a name: ${evil}` }]
  const snapshot = {
    workers: [workerOf('kernel', 'i-1', { version: evil, refused })],
    services: [{ service: 'kernel', version: '1', tools: ['weave_eval', evil], isServed: true }],
  }
  await fakeHub(installation, () => ({ result: statusOf(snapshot) }))
  return installation
}

it('prints nothing that a terminal obeys, and each name within its row', async () => {
  const { stdout } = await (await hubWithEvilNames()).run(['ls'])
  expect(stdout).toMatch(/^[\n\x20-\x7e]*$/)
  expect(stdout.split('\n').filter((line) => line.startsWith('FAKE'))).toEqual([])
  expect(stdout).toContain(`kernel   served  weave_eval, ${shown}\n`)
  expect(stdout).toContain(`not a name: ${shown}\n`)
})

it('prints JSON with the same names', async () => {
  const { stdout } = await (await hubWithEvilNames()).run(['ls', '--json'])
  expect(stdout).toMatch(/^[\n\x20-\x7e]*$/)
  expect(JSON.parse(stdout).snapshot.services[0].tools).toEqual(['weave_eval', evil])
})

it('doctor neither', async () => {
  const { stdout } = await (await hubWithEvilNames()).run(['doctor'])
  expect(stdout).toMatch(/^[\n\x20-\x7e]*$/)
  expect(stdout).toContain(`PROBLEM worker kernel: ${shown} was refused: not a name: ${shown}\n`)
})

it('shows the names that agents see, and the one that a worker gave where that is another', async () => {
  const installation = new Installation()
  const renamed = { files_read: 'files.read' }
  const services = [{ service: 'files', version: '1', tools: ['files_read', 'find'], renamed, isServed: true }]
  await fakeHub(installation, () => ({ result: statusOf({ services }) }))
  expect((await installation.run(['ls'])).stdout).toContain('files    served  files_read (files.read), find\n')
  const json = JSON.parse((await installation.run(['ls', '--json'])).stdout)
  expect(json.snapshot.services[0]).toMatchObject({ tools: ['files_read', 'find'], renamed })
})

it('shows the tools that single sessions have of their own, and how many do', async () => {
  const installation = new Installation()
  const ownTools = { file_bug: 1, post: 12 }
  const services = [{ service: 'forum', version: '1', tools: ['search'], renamed: {}, ownTools, isServed: true }]
  await fakeHub(installation, () => ({ result: statusOf({ services }) }))
  const { stdout } = await installation.run(['ls'])
  expect(stdout).toContain('forum    served  search, file_bug (in 1 session), post (in 12 sessions)\n')
})

it('shows since when a service is away, and until when it is kept', async () => {
  const installation = new Installation()
  const away = { since: Date.UTC(2026, 10, 20, 17), keptUntil: Date.UTC(2026, 10, 27, 17) }
  const services = [{ service: 'old', version: '1', tools: ['find'], isServed: false, away }]
  await fakeHub(installation, () => ({ result: statusOf({ services }) }))
  expect((await installation.run(['ls'])).stdout).toContain(
    'old      away since 2026-11-20T17:00Z, kept until 2026-11-27T17:00Z  find\n',
  )
})

it('counts what is kept for stateless clients apart from what is connected', async () => {
  const port = await freePort()
  const installation = new Installation({ CALLBOARD_HTTP: `127.0.0.1:${port}` })
  await installation.hub()
  const line = async () => (await installation.run(['ls'])).stdout.split('\n')[2]
  expect(await line()).toBe('0 sessions, 0 connections, 0 calls, 0 queued')
  for (const pattern of ['a*', 'b*', 'a*']) {
    const response = await fetch(`http://127.0.0.1:${port}/tools?tools=${pattern}`)
    expect(response.status).toBe(200)
    await response.text()
  }
  expect(await line()).toBe('1 session, 0 connections (and 2 kept for stateless clients), 0 calls, 0 queued')
})

it('shows once what all replicas of another version are refused, and doctor what ends that', async () => {
  const installation = new Installation()
  const why = 'version 1.0.0 of this service is in force and has no such tool'
  const refused = [{ name: 'find', code: 'quarantined', message: why }]
  const workers = ['i-1', 'i-2'].map((instance) => workerOf('shop', instance, { version: '2.0.0', refused }))
  await fakeHub(installation, () => ({ result: statusOf({ workers }) }))
  const { stdout } = await installation.run(['ls'])
  expect(stdout.split('\n').filter((line) => line.includes(why))).toEqual([`find     shop     2.0.0    ${why}`])
  const doctor = (await installation.run(['doctor'])).stdout
  expect(doctor.split(`note    worker shop: find of version 2.0.0 gets no calls: ${why}\n`)).toHaveLength(2)
})

it('doctor has one line for all that is held back, and what helps a key that may not offer something', async () => {
  const installation = new Installation()
  const held = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ name, code: 'held_back', message: 'wait' }))
  const refused = [...held, { name: 'x', code: 'not_authorized', message: 'the key of shop does not allow it' }]
  await fakeHub(installation, () => ({ result: statusOf({ workers: [workerOf('shop', 'i-1', { refused })] }) }))
  const { stdout } = await installation.run(['doctor'])
  expect(stdout).toContain(
    'note    worker shop: held back until an operator accepts: a, b, c, d, e and 2 more\n          remedy: run "callboard tools diff shop"\n',
  )
  expect(stdout).toContain(
    'PROBLEM worker shop: x was refused: the key of shop does not allow it\n          remedy: run "callboard keys authorize" with other --tools',
  )
})

it('shows the first calls only, and how many more there are', async () => {
  const installation = new Installation()
  const call = { name: 'find', service: 'shop', principal: 'agent:main', state: 'queued', depth: 0, startedAt: 0 }
  const calls = Array.from({ length: 53 }, (_, index) => ({ ...call, id: String(index) }))
  await fakeHub(installation, () => ({ result: statusOf({ calls }) }))
  const { stdout } = await installation.run(['ls'])
  expect(stdout.split('\n').filter((line) => line.startsWith('find'))).toHaveLength(50)
  expect(stdout).toMatch(/\nand 3 more: "callboard ls --json" has them all\n$/)
})

it('doctor calls a problem what fails where others do not', async () => {
  const installation = new Installation()
  await fakeHub(installation, () => ({
    result: statusOf({ workers: [workerOf('shop', 'i-1', { state: 'ejected' })] }),
  }))
  const { stdout } = await installation.run(['doctor'])
  expect(stdout).toContain('PROBLEM worker shop: i-1 gets no calls for a while: it fails where others do not\n')
  expect(stdout).not.toContain('ok      worker shop')
})

it('shows where HTTP is, and whose tokens are good there', async () => {
  const port = await freePort()
  const installation = new Installation({ CALLBOARD_HTTP: `[::1]:${port}` })
  const http = { publicUrl: 'https://callboard.example', oauth: { issuer: 'https://login.example.org' } }
  mkdirSync(installation.data, { mode: 0o700 })
  writeFileSync(join(installation.data, 'callboard.config.json'), JSON.stringify({ http }))
  await installation.hub()
  const { stdout } = await installation.run(['ls'])
  expect(stdout).toContain(`\nhttp [::1]:${port}\noauth tokens of https://login.example.org\n`)
  expect(JSON.parse((await installation.run(['ls', '--json'])).stdout).hub.issuer).toBe('https://login.example.org')
})

const since = Date.UTC(2026, 10, 20, 17)

async function hubThatSupervises(): Promise<Installation> {
  const installation = new Installation()
  const supervised = [
    { worker: 'kernel', state: 'running', pid: 7, restarts: 0, endsInARow: 0 },
    { worker: 'forum', state: 'starting', pid: 8, restarts: 3, endsInARow: 3, lastExit: { at: 0, how: 'SIGKILL' } },
    { worker: 'social', state: 'restarting', restarts: 1, endsInARow: 1, restartsAt: Date.now() + 3_600_000 },
    {
      worker: 'qda',
      state: 'crash_looping',
      restarts: 4,
      endsInARow: 5,
      restartsAt: Date.now() + 3_600_000,
      crashLoopingSince: since,
      lastExit: { at: Date.now() - 600_000, how: 'exit code 2', complaint: `the disk is ${evil}` },
    },
  ]
  await fakeHub(installation, () => ({ result: statusOf({ workers: [workerOf('kernel', 'i-1')] }, { supervised }) }))
  return installation
}

it('shows the workers that `up` keeps running, and how it goes', async () => {
  const lines = (await (await hubThatSupervises()).run(['ls'])).stdout.split('\n').map((line) => line.split(/ {2,}/))
  expect(lines).toContainEqual(['SUPERVISED', 'STATE', 'PROCESS', 'RESTARTS', 'LAST-END'])
  expect(lines).toContainEqual(['kernel', 'running', '7', '0', '-'])
  expect(lines).toContainEqual(['forum', 'starting', '8', '3', expect.stringMatching(/^SIGKILL, \d+ d ago$/)])
  expect(lines).toContainEqual(['social', 'restarting in 60 min', '-', '1', '-'])
  expect(lines).toContainEqual([
    'qda',
    'crash-looping since 2026-11-20T17:00Z, again in 60 min',
    '-',
    '4',
    `exit code 2, 10 min ago: the disk is ${shown}`,
  ])
})

it('doctor calls a problem what keeps ending, once, with the remedy', async () => {
  const { stdout } = await (await hubThatSupervises()).run(['doctor'], { CALLBOARD_WORKERS: 'kernel,forum,social,qda' })
  const problems = stdout.split('\n').filter((line) => line.startsWith('PROBLEM worker'))
  expect(problems).toEqual([
    'PROBLEM worker forum: ended 3 times in a row (SIGKILL)',
    `PROBLEM worker qda: is crash-looping since 2026-11-20T17:00Z (exit code 2); last it said: the disk is ${shown}`,
    'PROBLEM worker social: not signed in',
  ])
  expect(stdout).toContain(
    'remedy: mend what it says, it is tried again by itself; all that it says: callboard worker qda\n',
  )
})

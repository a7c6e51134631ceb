import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort, Installation, untilSaid } from './support/installation.js'

async function demo(
  words: readonly string[],
): Promise<{ readonly child: ChildProcessWithoutNullStreams; readonly said: string }> {
  const child = new Installation().spawn(['demo', 'forum', ...words])
  child.stderr.resume()
  const end = words.includes('--json') ? /^}$/m : /callboard call .*\n.*\n/
  return { child, said: await untilSaid(child, child.stdout, end) }
}

async function codeAfter(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal)
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

describe('callboard demo forum', () => {
  it('answers at the base that it prints, with the keys that it prints, until it is interrupted', async () => {
    const { child, said } = await demo(['--port', '0'])
    const base = /The demo forum is at (http:\/\/127\.0\.0\.1:\d+)\. /.exec(said)?.[1]
    const headers = Object.fromEntries(
      [...said.matchAll(/^ +(Api-\w+): (\S+)$/gm)].map(([, name, value]) => [name!, value!]),
    )
    expect(Object.keys(headers)).toEqual(['Api-Key', 'Api-Username'])
    const reply = await fetch(`${base}/session/current.json`, { headers })
    expect(await reply.json()).toMatchObject({ current_user: { username: 'mayor', admin: true } })

    expect(await codeAfter(child, 'SIGINT')).toBe(0)
    await expect(fetch(`${base}/about.json`)).rejects.toThrow()
  })

  it('prints words for a shell that lead the worker to it', async () => {
    const { child, said } = await demo(['--port', '0'])
    const base = /at (http:\S+)\. /.exec(said)?.[1]
    expect(said).toContain(
      `callboard worker forum --site ${base} --allow_writes --read_only=false --auth_pairs '[{"site":"${base}",`,
    )
    expect(said).toMatch(/^ {2}CALLBOARD_FORUM__AUTH_PAIRS='\[\{"site":.*\}\]' \\\n {2}callboard up --workers forum$/m)
    child.kill('SIGKILL')
  })

  it('prints all of it as JSON, and ends on SIGTERM', async () => {
    const { child, said } = await demo(['--port', '0', '--json'])
    const { site, admin, user, worker, up } = JSON.parse(said)
    const pairs = JSON.stringify([admin])
    expect(worker).toEqual([
      ...['callboard', 'worker', 'forum', '--site', site, '--allow_writes', '--read_only=false'],
      ...['--auth_pairs', pairs],
    ])
    expect(up.environment).toEqual({
      CALLBOARD_FORUM__SITE: site,
      CALLBOARD_FORUM__ALLOW_WRITES: 'true',
      CALLBOARD_FORUM__READ_ONLY: 'false',
      CALLBOARD_FORUM__AUTH_PAIRS: pairs,
    })
    const headers = { 'User-Api-Key': user.user_api_key, 'User-Api-Client-Id': user.user_api_client_id }
    const reply = await fetch(`${site}/session/current.json`, { headers })
    expect(await reply.json()).toMatchObject({ current_user: { username: 'ada', admin: false } })
    expect(await codeAfter(child, 'SIGTERM')).toBe(0)
  })

  it('ends also while somebody is connected', async () => {
    const { child, said } = await demo(['--port', '0', '--json'])
    await (await fetch(`${JSON.parse(said).site}/about.json`, { keepalive: true })).text()
    expect(await codeAfter(child, 'SIGTERM')).toBe(0)
  })

  it('has the same keys each time, for configurations that keep them', async () => {
    const keys = await Promise.all(
      [1, 2].map(async () => {
        const { child, said } = await demo(['--port', '0', '--json'])
        child.kill('SIGKILL')
        return JSON.parse(said).admin.api_key
      }),
    )
    expect(keys[0]).toBe(keys[1])
  })

  it('listens where it is told, and says who else does', async () => {
    const port = await freePort()
    const { child, said } = await demo(['--port', String(port), '--json'])
    expect(JSON.parse(said).site).toBe(`http://127.0.0.1:${port}`)
    const second = await new Installation().run(['demo', 'forum', '--port', String(port)])
    expect(second).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(
          `^callboard: Port ${port} is in use.*: choose another one with --port, or any free one with --port 0\\.\n$`,
        ),
      ),
    })
    child.kill('SIGKILL')
  })
})

describe('callboard demo qda', () => {
  it('makes a project with interviews, codes and codings, once', async () => {
    const installation = new Installation()
    const path = join(realpathSync(installation.directory), 'garden.qda')
    const made = await installation.run(['demo', 'qda', '--path', path, '--json'])
    expect(JSON.parse(made.stdout)).toEqual({ path, name: 'garden', sources: 4, codes: 6, codings: 11 })
    expect(readdirSync(path).sort()).toEqual(['audio', 'data.qda', 'documents', 'images', 'video'])
    expect(await installation.run(['demo', 'qda', '--path', path])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/garden\.qda exists.*: choose another folder with --path\.\n$/),
    })
  })

  it('prints what to ask next, at the address of this installation', async () => {
    const installation = new Installation()
    const path = join(installation.directory, 'garden.qda')
    const { stdout } = await installation.run(['demo', 'qda', '--path', path], { CALLBOARD_HTTP: '127.0.0.1:18888' })
    expect(stdout).toContain('callboard call list_codes')
    expect(stdout).toContain('curl -s 127.0.0.1:18888/tools/open_project')
  })
})

it.each([
  [['demo', 'forun'], /^callboard: There is no demo forun \(did you mean forum\?\); there are: forum, qda\.\n$/],
  [['demo', 'qda', '--port', '0'], /^callboard: --port is for the demo forum; .*\n$/],
  [['demo', 'forum', '--path', 'x.qda'], /^callboard: --path is for the demo project; .*\n$/],
  [['demo', 'qda', '--path', 'garden'], /^callboard: .*ends in \.qda.*: choose another folder with --path\.\n$/],
  [['demo'], /^callboard: missing required argument 'name' \(see callboard demo --help\)\n$/],
  [['demo', 'forum', '--port', '70000'], /^callboard: .*from 0 to 65535.*\n$/],
])('%j is one sentence and exits 2', async (words, sentence) => {
  expect(await new Installation().run(words)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(sentence),
  })
})

it('has examples in its help', async () => {
  const { code, stdout } = await new Installation().run(['demo', '--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/Examples:\n.*callboard demo forum/)
})

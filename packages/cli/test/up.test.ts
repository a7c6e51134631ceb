import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { binary, collect, freePort, Installation, untilSaid } from './support/installation.js'

describe('callboard up', () => {
  it('serves ls and call, and down ends it all', async () => {
    const installation = new Installation({ CALLBOARD_WORKERS: '' })
    const up = await installation.up()
    const listed = JSON.parse((await installation.run(['ls', '--json'])).stdout)
    expect(listed.hub).toMatchObject({ pid: up.pid, version: '0.1.0' })
    const workers = (listed.snapshot.workers as { service: string }[]).sort((a, b) => (a.service < b.service ? -1 : 1))
    expect(workers).toMatchObject([
      { service: 'forum', state: 'ready', trusted: true },
      { service: 'kernel', state: 'ready', trusted: true },
      { service: 'qda', state: 'ready', trusted: true },
      { service: 'scheduler', state: 'ready', trusted: true },
      { service: 'social', state: 'ready', trusted: true },
    ])
    expect((await installation.run(['ls'])).stdout).toMatch(/kernel +served +weave_eval/)

    expect(await installation.run(['call', 'weave_eval', 'code=1 + 1'])).toEqual({ code: 0, stdout: '2\n', stderr: '' })
    const json = await installation.run(['call', 'weave_eval', '{"code": "6 * 7"}', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ structuredContent: { result: '42', success: true } })

    const down = await installation.run(['down'])
    expect(down).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Ended the hub .* and the workers that came with it/),
    })
    expect(installation.processes()).toEqual([])
    expect(await installation.run(['down'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^No hub is running/),
    })
  })

  it.each([
    [['--namespace', 'always'], '{}'],
    [[], '{"namespace": "always"}'],
  ])('shows the names that agents see: %j %s', async (words, file) => {
    const installation = new Installation()
    mkdirSync(installation.data, { mode: 0o700 })
    writeFileSync(join(installation.data, 'callboard.config.json'), file)
    const up = installation.spawn(['up', ...words])
    const said = await untilSaid(up, up.stdout, /kernel +ready: .*\n/)
    expect(said).toContain('ready: kernel_weave_eval, kernel_weave_session')
    expect(said).toContain("callboard call kernel_weave_eval code='1 + 1'")
    expect((await installation.run(['ls'])).stdout).toMatch(/kernel +served +kernel_weave_eval, kernel_weave_session/)
    expect((await installation.run(['call', 'kernel_weave_eval', 'code=1 + 1'])).stdout).toBe('2\n')
  })

  it('keeps variables between calls from the command line', async () => {
    const installation = new Installation()
    await installation.up()
    await installation.run(['call', 'weave_eval', 'code=x = 20'])
    expect((await installation.run(['call', 'weave_eval', 'code=x + 1'])).stdout).toBe('21\n')
  })

  it('tells what is wrong with a call', async () => {
    const installation = new Installation()
    await installation.up()
    const call = async (...words: string[]) => {
      const { code, stderr } = await installation.run(['call', ...words])
      return { code, stderr }
    }
    expect(await call('weave_evl', 'code=1')).toEqual({
      code: 2,
      stderr: 'callboard: There is no tool weave_evl (did you mean weave_eval?): "callboard ls" lists them all.\n',
    })
    expect(await call('weave_eval')).toEqual({
      code: 2,
      stderr: 'callboard: weave_eval needs code (string): write code=….\n',
    })
    expect(await call('weave_eval', 'cod=1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean code?'),
    })
    expect(await call('weave_eval', 'code=1', 'timeout_s=-1')).toMatchObject({ code: 1 })
    expect(await call('weave_eval', 'code=1', '--as', 'operator')).toMatchObject({ code: 2 })
    expect(await call('weave_eval', 'code=import time; time.sleep(30)', '--timeout', '0.5')).toMatchObject({
      code: 1,
      stderr: 'callboard: No answer within 0.5 s.\n',
    })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('ends on %s within two seconds with all that it started', async (signal) => {
    const installation = new Installation()
    const up = await installation.up()
    await installation.run(['call', 'weave_eval', 'code=1'])
    expect(installation.processes().length).toBeGreaterThan(2)
    const began = performance.now()
    up.kill(signal)
    const [code] = await once(up, 'exit')
    expect(code).toBe(0)
    expect(performance.now() - began).toBeLessThan(2_000)
    expect(installation.processes()).toEqual([])
    expect(existsSync(join(installation.runtime, 'mcp.sock'))).toBe(false)
  })

  it('ends within two seconds even with a call in flight', async () => {
    const installation = new Installation()
    const up = await installation.up()
    const call = installation.spawn([
      'call',
      'weave_eval',
      'code=import time; print("on", flush=True); time.sleep(60)',
      '--progress',
    ])
    await untilSaid(call, call.stderr, /stdout|\d/)
    const began = performance.now()
    up.kill('SIGTERM')
    await Promise.all([once(up, 'exit'), once(call, 'exit')])
    expect(performance.now() - began).toBeLessThan(2_500)
    await vi.waitFor(() => expect(installation.processes()).toEqual([]))
  })

  it('leaves no worker behind when it is killed', async () => {
    const installation = new Installation()
    const up = await installation.up()
    await installation.run(['call', 'weave_eval', 'code=1'])
    up.kill('SIGKILL')
    await vi.waitFor(() => expect(installation.processes()).toEqual([]), { timeout: 5_000 })
  })

  it.each(['down', 'SIGINT', 'SIGTERM'] as const)('does not promise on %s to start a worker again', async (how) => {
    const installation = new Installation()
    const up = installation.spawn(['up'])
    const said = collect(up.stderr)
    await untilSaid(up, up.stdout, /kernel +ready/)
    if (how === 'down') await installation.run(['down'])
    else up.kill(how)
    await vi.waitUntil(() => up.exitCode !== null, { timeout: 5_000 })
    expect(said()).not.toContain('starts again')
  })

  it('drains a worker and starts it again', async () => {
    const installation = new Installation()
    const up = installation.spawn(['up'])
    await untilSaid(up, up.stdout, /kernel +ready/)
    const first = installation.find('worker kernel')
    const restarting = untilSaid(up, up.stderr, /the worker kernel ended \(exit code 0\); it starts again in 0\.\d s/)
    expect(await installation.run(['drain', 'kernel'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Drained kernel \(instance .*\)\.\n$/),
    })
    await restarting
    await vi.waitFor(() => expect(installation.find('worker kernel')).not.toBe(first), { timeout: 5_000 })
  })

  it('starts a worker again that was killed', async () => {
    const installation = new Installation()
    const up = installation.spawn(['up'])
    up.stdin.end()
    await untilSaid(up, up.stdout, /kernel +ready/)
    const first = installation.find('worker kernel')
    const restarted = untilSaid(up, up.stderr, /the worker kernel ended \(SIGKILL\); it starts again in 0\.\d s/)
    process.kill(first, 'SIGKILL')
    await restarted
    await vi.waitFor(() => expect(installation.find('worker kernel')).not.toBe(first), { timeout: 5_000 })
    expect((await installation.run(['call', 'weave_eval', 'code=1 + 1'])).stdout).toBe('2\n')
  })

  it('refuses to be a second hub', async () => {
    const installation = new Installation()
    await installation.up()
    for (const command of ['up', 'hub']) {
      const { code, stderr } = await installation.run([command])
      expect(code).toBe(2)
      expect(stderr).toMatch(/^callboard: A hub is running in .* already: .*\n$/)
    }
    expect((await installation.run(['call', 'weave_eval', 'code=1 + 1'])).stdout).toBe('2\n')
  })

  it('serves HTTP where it is told to', async () => {
    const port = await freePort()
    const installation = new Installation()
    const up = installation.spawn(['up', '--http', `127.0.0.1:${port}`])
    const said = await untilSaid(up, up.stdout, /http .*/)
    expect(said).toContain(`http://127.0.0.1:${port}/mcp`)
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).ok).toBe(true)
  })

  it('tells no child the token of the agent that it was started for', async () => {
    const installation = new Installation()
    await installation.up([], { CALLBOARD_TOKEN: 'the-operators-secret' })
    await installation.run(['call', 'weave_eval', 'code=1'])
    const up = installation.find(' up')
    for (const pid of installation.processes().filter((each) => each !== up)) {
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('the-operators-secret')
    }
  })
})

describe('callboard hub', () => {
  it('speaks MCP on its stdio and ends with it', async () => {
    const installation = new Installation()
    const hub = installation.spawn(['hub', '--stdio'])
    const said = untilSaid(hub, hub.stdout, /"id":1/)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
    hub.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
    expect(JSON.parse(await said)).toMatchObject({ id: 1, result: { serverInfo: { name: 'callboard' } } })
    hub.stdin.end()
    expect(await once(hub, 'exit')).toEqual([0, null])
  })
})

it('says what to do when it is not built', async () => {
  const installation = new Installation()
  cpSync(dirname(binary), join(installation.directory, 'bin'), { recursive: true })
  writeFileSync(join(installation.directory, 'package.json'), '{"type":"module"}')
  const { status, stderr } = spawnSync(process.execPath, [join(installation.directory, 'bin/callboard.js'), 'ls'])
  expect({ status, stderr: stderr.toString() }).toEqual({
    status: 2,
    stderr: 'callboard: this checkout is not built: run "npm ci" or "npm run build" first.\n',
  })
})

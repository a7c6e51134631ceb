import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseKernelConfig } from '../src/config.js'
import { ContainedProcess, throughWrapper } from '../src/isolation/contained-process.js'
import { Sandbox } from '../src/isolation/sandbox.js'
import { until } from './support/processes.js'
import { noSandbox, processesWith } from './support/sandbox.js'

describe('an exit that was told by bubblewrap', () => {
  it.each([
    [0, 0, null],
    [3, 3, null],
    [128, 128, null],
    [128 + 9, null, 'SIGKILL'],
    [128 + 11, null, 'SIGSEGV'],
    [128 + 15, null, 'SIGTERM'],
    [255, 255, null],
  ])('%i', (told, code, signal) => {
    expect(throughWrapper({ code: told, signal: null })).toEqual({ code, signal })
  })

  it('of bubblewrap itself is left as it is', () => {
    expect(throughWrapper({ code: null, signal: 'SIGKILL' })).toEqual({ code: null, signal: 'SIGKILL' })
  })
})

const sandboxes = ['off', ...(noSandbox ? [] : ['required'])]

describe.each(sandboxes)('any program, sandbox %s', (mode) => {
  async function start(script: string) {
    const directory = await mkdtemp(join(tmpdir(), 'callboard-contained-test-'))
    const { sandbox: config } = parseKernelConfig({ sandbox: mode })
    const sandbox = await Sandbox.open({ config, maskedPaths: [], trial: { argv: ['/bin/sh', '-c', ':'] } })
    const contained = new ContainedProcess({
      sandbox,
      program: { argv: ['/bin/sh', '-c', script], workingDirectory: directory },
      environment: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return {
      contained,
      firstLine: once(contained.child.stdout!, 'data').then(([chunk]) => String(chunk).trim()),
      async [Symbol.asyncDispose]() {
        contained.killAll()
        await contained.exit
        await rm(directory, { recursive: true })
      },
    }
  }

  it('is found by the number that it has for itself', async () => {
    await using program = await start('echo $$; sleep 4712.5')
    const pid = await program.contained.pidOf(Number(await program.firstLine))
    expect(processesWith('echo $$; sleep 4712.5').length).toBeGreaterThan(0)
    process.kill(pid!, 'SIGTERM')
    expect(await program.contained.exit).toEqual({ code: null, signal: 'SIGTERM' })
    await until(() => processesWith('sleep 4712.5').length === 0)
  })

  it('says who its parent is', async () => {
    await using program = await start('echo $PPID; sleep 60')
    expect(Number(await program.firstLine)).toBe(program.contained.parentInside)
  })

  it('ends with its own code', async () => {
    await using program = await start('exit 7')
    expect(await program.contained.exit).toEqual({ code: 7, signal: null })
    expect(await program.contained.pidOf(2)).toBe(mode === 'off' ? 2 : undefined)
  })

  it('is killed with all that it has started, at any moment', async () => {
    await using program = await start('sleep 4711.5 & echo on; wait')
    await program.firstLine
    program.contained.killAll()
    expect(await program.contained.exit).toEqual({ code: null, signal: 'SIGKILL' })
    await until(() => processesWith('sleep 4711.5').length === 0)
    await using early = await start('sleep 4711.5')
    early.contained.killAll()
    expect(await early.contained.exit).toMatchObject({ signal: 'SIGKILL' })
    await until(() => processesWith('sleep 4711.5').length === 0)
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { KernelStartError } from '../src/runtime/kernel-start-error.js'
import { fakeSpec, openJupyter } from './support/jupyter.js'
import { ownTemporary } from './support/own-temporary.js'
import { groupMembers, until } from './support/processes.js'

describe('a Jupyter kernel', () => {
  it('runs a cell by one request and answers with its value', async () => {
    await using kernel = await openJupyter(fakeSpec())
    expect(kernel.runtime.description).toBe('fake (fake 1.0)')
    expect('python' in kernel.runtime).toBe(false)
    expect(await kernel.run('value')).toMatchObject({ outcome: 'ok', result: '2', error: null })
    expect(await kernel.runtime.probe()).toBe(true)
  })

  it('is reached by sockets that no other user can open, and its key is in no file', async () => {
    await using temporary = await ownTemporary()
    await using kernel = await openJupyter(fakeSpec())
    await kernel.run('value')
    const ours = (await readdir(temporary.path)).filter((name) => /^callboard-jupyter-.{6}$/.test(name))
    expect(ours).toHaveLength(1)
    const directory = join(temporary.path, ours[0]!)
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    expect(await readdir(directory)).not.toContain('connection.json')
  })

  it('drops what is not signed, not of the protocol, or about no request of ours, and counts it', async () => {
    await using kernel = await openJupyter(fakeSpec())
    const end = await kernel.run('send what nobody signed')
    expect(end).toMatchObject({ outcome: 'ok', result: 'signed' })
    expect(kernel.output(1)).toEqual({ stdout: '', stderr: '' })
    expect(kernel.runtime.dropped).toBe(3)
    expect((await kernel.run('value')).result).toBe('2')
  })

  it('that never says it is idle, or never replies, ends its cell all the same', async () => {
    await using kernel = await openJupyter(fakeSpec())
    expect(await kernel.run('never be idle')).toMatchObject({ outcome: 'ok' })
    expect(kernel.output(1)).toEqual({
      stdout: 'said\n',
      stderr: expect.stringMatching(/some of its output may be missing/),
    })
    expect(await kernel.run('never reply')).toMatchObject({
      outcome: 'error',
      error: expect.stringMatching(/did not say how it ended/),
    })
    expect((await kernel.run('value')).result).toBe('2')
  })

  it('that gives a cell up by itself has failed, not succeeded', async () => {
    await using kernel = await openJupyter(fakeSpec())
    expect(await kernel.run('abort')).toMatchObject({ outcome: 'error', error: expect.stringMatching(/"aborted"/) })
  })

  it('that dies mid-run has its output kept and its last words told', async () => {
    await using kernel = await openJupyter(fakeSpec())
    await expect(kernel.run('die after 1,000 lines')).rejects.toThrow('died')
    expect(await kernel.runtime.died).toMatchObject({ code: 3, signal: null, faults: 'the last words\n' })
    expect(kernel.output(1).stdout.split('\n').slice(-2)).toEqual(['line 1000', ''])
    await until(() => groupMembers(kernel.runtime.pid).length === 0)
  })

  it('writes 100 MB without a byte being lost', async () => {
    let bytes = 0
    let last = ''
    await using kernel = await openJupyter(fakeSpec(), {
      onOutput: (_run, _stream, chunk) => {
        bytes += chunk.length
        last = Buffer.from(chunk).toString('utf8')
      },
    })
    expect(await kernel.run('print 100 MB')).toMatchObject({ outcome: 'ok' })
    expect(bytes).toBe(100_000_000 + 'the end'.length)
    expect(last).toBe('the end')
  })

  it('that sends a message beyond the limit is told so, and is heard again', async () => {
    await using kernel = await openJupyter(fakeSpec())
    await kernel.run('say too much at once')
    await until(() => kernel.output(1).stderr !== '')
    expect(kernel.output(1)).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^\[Output was lost here: the kernel sent more than 128 MiB at once/),
    })
    await until(async () => (await kernel.run('value')).result === '2')
  })

  it('has late output told with the run that it belongs to', async () => {
    await using kernel = await openJupyter(fakeSpec())
    await kernel.run('value')
    await kernel.run('speak for the run before')
    expect(kernel.output(1).stdout).toBe('late\n')
    expect(kernel.output(2).stdout).toBe('own\n')
    expect(kernel.displays).toMatchObject([{ run: 1 }])
  })

  it('that asks for input gets an empty line instead of waiting for ever', async () => {
    await using kernel = await openJupyter(fakeSpec())
    expect((await kernel.run('ask for input')).result).toBe('""')
  })

  it('has what goes to its own descriptors told as output of the run', async () => {
    await using kernel = await openJupyter(fakeSpec())
    await kernel.run('write to its own descriptors')
    expect(kernel.output(1)).toEqual({ stdout: 'own stdout\n', stderr: 'own stderr\n' })
  })

  it.each([
    ['signal', 'SIGINT'],
    ['message', 'interrupt_request'],
  ] as const)('is interrupted by %s, as its kernelspec wants it', async (interruptMode, how) => {
    await using kernel = await openJupyter(fakeSpec({ interruptMode }))
    const running = kernel.run('wait for an interrupt')
    kernel.runtime.interrupt(1)
    expect(await running).toMatchObject({ outcome: 'interrupted', error: `trace\nInterrupted: ${how}` })
  })

  it('is not interrupted for a run that is over', async () => {
    await using kernel = await openJupyter(fakeSpec())
    await kernel.run('value')
    const running = kernel.run('take its time')
    kernel.runtime.interrupt(1)
    expect(await running).toMatchObject({ outcome: 'ok', result: 'undisturbed' })
    const next = kernel.run('take its time')
    kernel.runtime.interrupt(3)
    expect(await next).toMatchObject({ outcome: 'ok', result: 'SIGINT' })
  })

  it('ends when it is asked to, within a second, and leaves nothing', async () => {
    await using kernel = await openJupyter(fakeSpec())
    const startedAt = performance.now()
    expect(await kernel.runtime.terminate('reset')).toMatchObject({ cause: 'reset' })
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect(await kernel.runtime.probe()).toBe(false)
    await until(() => groupMembers(kernel.runtime.pid).length === 0)
  })

  it('ends with a worker that is killed, and leaves no file', async () => {
    const doomed = fileURLToPath(new URL('support/doomed-jupyter-worker.js', import.meta.url))
    await using temporary = await ownTemporary()
    const worker = spawn(process.execPath, [doomed], { stdio: ['pipe', 'pipe', 'inherit'] })
    const [line] = (await once(worker.stdout, 'data')) as [Buffer]
    const group = Number(line.toString())
    const left = async () => (await readdir(temporary.path)).length
    expect(await left()).toBe(1)
    expect(groupMembers(group).length).toBeGreaterThanOrEqual(2)
    worker.kill('SIGKILL')
    await until(() => groupMembers(group).length === 0)
    await until(async () => (await left()) === 0)
  })
})

describe('the start of a Jupyter kernel', () => {
  const start = (spec: Parameters<typeof openJupyter>[0], options?: Parameters<typeof openJupyter>[1]) =>
    openJupyter(spec, options).then(
      () => undefined,
      (error: unknown) => error as Error,
    )

  it('that ends at once is explained with its own last words and advice', async () => {
    const code = 'console.error("no such library: libfoo"); process.exit(4)'
    const error = await start(fakeSpec({ argv: [process.execPath, '-e', code] }))
    expect(error).toBeInstanceOf(KernelStartError)
    expect(error?.message).toMatch(
      /The kernel "fake" ended while starting \(exit code 4\)\. It wrote: no such library: libfoo Check that it starts by itself/,
    )
  })

  it('of a program that is not there says so', async () => {
    const error = await start(fakeSpec({ argv: ['no-such-program-xyz', '{connection_file}'] }))
    expect(error).toBeInstanceOf(KernelStartError)
    expect(error?.message).toMatch(/no-such-program-xyz: No such file or directory/)
  })

  it('with a protocol that is not 5 is refused', async () => {
    const error = await start(fakeSpec({}, '--protocol-6'))
    expect(error?.message).toMatch(/speaks version 6\.0 of the messaging protocol, not 5/)
  })

  it('of one that knows no Unix sockets goes by TCP, and the isolation says what that means', async () => {
    await using kernel = await openJupyter(fakeSpec({}, '--tcp-only'))
    expect((await kernel.run('value')).result).toBe('2')
    expect(kernel.runtime.isolation.description).toMatch(/other users of this machine can read its output/)
  })

  it('without a python3 works too, and the isolation says that nothing is limited', async () => {
    await using kernel = await openJupyter(fakeSpec(), { python: 'no-such-python' })
    expect((await kernel.run('value')).result).toBe('2')
    await kernel.run('write to its own descriptors')
    expect(kernel.output(2).stdout).toBe('own stdout\n')
    expect(new Set(kernel.runtime.isolation.limitsRefused)).toEqual(
      new Set(['memoryBytes', 'fileBytes', 'openFiles', 'coreBytes', 'niceness']),
    )
    expect(kernel.runtime.isolation.description).toMatch(/may outlive a worker that is killed/)
  })

  it('gives it nothing of the worker’s environment', async () => {
    const directory = join(tmpdir(), `callboard-env-${process.pid}`)
    await mkdir(directory, { recursive: true })
    const program = join(directory, 'show')
    await writeFile(program, '#!/bin/sh\nenv >&2\nexit 1\n')
    await chmod(program, 0o700)
    process.env['CALLBOARD_SECRET_TOKEN'] = 'hush'
    const error = await start(fakeSpec({ argv: [program], env: { OWN: 'variable' } }))
    delete process.env['CALLBOARD_SECRET_TOKEN']
    await rm(directory, { recursive: true })
    expect(error?.message).toContain('OWN=variable')
    expect(error?.message).not.toContain('hush')
  })
})

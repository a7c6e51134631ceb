import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseKernelConfig } from '../src/config.js'
import { identityOf } from '../src/isolation/process-identity.js'
import { explainDeath } from '../src/runtime/death.js'
import { findKernelspecs } from '../src/runtime/jupyter/kernelspecs.js'
import { containPython } from '../src/runtime/python/contain-python.js'
import { evaluate, openPool } from './support/fixture.js'
import { containmentFor, fakeSpec, missing, openJupyter } from './support/jupyter.js'
import { groupMembers, until } from './support/processes.js'
import { noSandbox, processesWith, withEnvironment } from './support/sandbox.js'

const inSandbox = { containment: containmentFor({ sandbox: 'required' }) }
const ipykernel = (await findKernelspecs()).usable.find(({ language }) => language === 'python')
const noIpykernel = ipykernel
  ? missing('ipykernel', ipykernel.argv[0]!, '-c', 'import ipykernel_launcher')
  : 'no kernelspec for Python here'

async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'callboard-jupyter-sandbox-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

const failed = (starting: Promise<unknown>): Promise<string> =>
  starting.then(
    () => 'it started',
    (error: Error) => error.message,
  )

describe.skipIf(noSandbox)(`a Jupyter kernel in a sandbox ${noSandbox ?? ''}`, () => {
  it('runs, says truly what holds it, and is known by its own number', async () => {
    await using kernel = await openJupyter(fakeSpec(), inSandbox)
    expect((await kernel.run('value')).result).toBe('2')
    await kernel.run('write to its own descriptors')
    expect(kernel.output(2)).toEqual({ stdout: 'own stdout\n', stderr: 'own stderr\n' })
    const { pid, pidStarted, isolation } = kernel.runtime
    expect(isolation).toMatchObject({ sandbox: 'bubblewrap', network: false, limitsRefused: ['memoryBytes'] })
    expect(isolation.description).toMatch(/^bubblewrap .*no network; its memory is limited only together/)
    expect(await readFile(`/proc/${pid}/cmdline`, 'latin1')).toMatch(/fake-kernel\.js/)
    expect(await identityOf(pid)).toEqual({ pid, pidStarted })
  })

  it('is refused by nothing where a sandbox is required', async () => {
    await using outside = await temporaryDirectory()
    await mkdir(join(outside.path, 'fake'))
    await writeFile(join(outside.path, 'fake', 'kernel.json'), JSON.stringify({ argv: fakeSpec().argv }))
    const sandboxPaths = { readable: [fileURLToPath(new URL('../../../', import.meta.url))] }
    await using house = await openPool({ sandbox: 'required', kernelspecDirs: [outside.path], sandboxPaths })
    expect(await evaluate(house.kernel(), 'value', { runtime: 'fake' })).toMatchObject({ result: '2' })
    expect(house.kernel().runtime?.isolation.sandbox).toBe('bubblewrap')
  })

  it('has its own exit code and signal told', async () => {
    await using first = await openJupyter(fakeSpec(), inSandbox)
    await expect(first.run('die after 1,000 lines')).rejects.toThrow('died')
    expect(await first.runtime.died).toMatchObject({ code: 3, signal: null, faults: 'the last words\n' })
    await using second = await openJupyter(fakeSpec(), inSandbox)
    process.kill(second.runtime.pid, 'SIGTERM')
    expect(await second.runtime.died).toMatchObject({ code: null, signal: 'SIGTERM' })
  })

  it('is in a sandbox without a python3 as well', async () => {
    const containment = containmentFor({ sandbox: 'required', python: 'no-such-python' })
    await using kernel = await openJupyter(fakeSpec(), { containment, python: 'no-such-python' })
    expect((await kernel.run('value')).result).toBe('2')
    const running = kernel.run('wait for an interrupt')
    await kernel.written(2, 'waiting')
    kernel.runtime.interruptGroup()
    expect(await running).toMatchObject({ outcome: 'error', error: expect.stringMatching(/SIGINT/) })
    const { isolation } = kernel.runtime
    expect(isolation).toMatchObject({
      sandbox: 'bubblewrap',
      limitsRefused: ['memoryBytes', 'fileBytes', 'openFiles', 'coreBytes', 'niceness'],
    })
    expect(isolation.description).not.toMatch(/outlive/)
    await kernel.runtime.terminate('reset')
    await until(() => !existsSync(`/proc/${kernel.runtime.pid}`))
  })

  it('that knows only TCP needs the network, and the error says so', async () => {
    expect(await failed(openJupyter(fakeSpec({}, '--tcp-only'), inSandbox))).toMatch(
      /knows only TCP needs "sandboxNetwork": true/,
    )
    const containment = containmentFor({ sandbox: 'required', sandboxNetwork: true })
    await using kernel = await openJupyter(fakeSpec({}, '--tcp-only'), { containment })
    expect((await kernel.run('value')).result).toBe('2')
    expect(kernel.runtime.isolation).toMatchObject({ network: true })
  })

  it('that needs what the sandbox hides says how to show it', async () => {
    await using outside = await temporaryDirectory()
    await writeFile(join(outside.path, 'needed'), '')
    const argv = [process.execPath, '-e', `fs.readFileSync("${outside.path}/needed")`]
    const error = await failed(openJupyter(fakeSpec({ argv }), inSandbox))
    expect(error).toMatch(/no such file or directory/)
    expect(error).toMatch(/It may be the sandbox, .* "sandboxPaths": \{"readable": \[\.\.\.\]\}/)
  })

  it('ends with a worker that is killed, and its files with the next kernel', async () => {
    const doomed = fileURLToPath(new URL('support/doomed-jupyter-worker.js', import.meta.url))
    const before = new Set(await readdir(tmpdir()))
    const worker = spawn(process.execPath, [doomed, 'required'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const [line] = (await once(worker.stdout, 'data')) as [Buffer]
    const group = Number(line.toString())
    expect(groupMembers(group).length).toBeGreaterThanOrEqual(2)
    const made = (await readdir(tmpdir())).filter((name) => /^callboard-jupyter-.{6}$/.test(name) && !before.has(name))
    const owners = await Promise.all(
      made.map((name) => readFile(join(tmpdir(), name, 'worker'), 'utf8').catch(() => '')),
    )
    const own = made.filter((_, index) => owners[index]!.includes(`"pid":${worker.pid},`))
    expect(own).toHaveLength(1)
    const exited = once(worker, 'exit')
    worker.kill('SIGKILL')
    await Promise.all([exited, until(() => groupMembers(group).length === 0)])
    await using _ = await openJupyter(fakeSpec(), inSandbox)
    await until(() => !existsSync(join(tmpdir(), own[0]!)))
  })
})

const named = `ipykernel in a sandbox ${noSandbox ?? noIpykernel ?? ''}`
describe.skipIf(noSandbox ?? noIpykernel)(named, () => {
  it('sees no secrets: no masked file, no home, no environment of the worker, no other process', async () => {
    await using outside = await temporaryDirectory()
    for (const name of ['data', 'home']) {
      await mkdir(join(outside.path, name))
      await writeFile(join(outside.path, name, 'secret'), 'secret')
    }
    using _ = withEnvironment({ HOME: join(outside.path, 'home'), CALLBOARD_SECRET: 'hub key' })
    const config = parseKernelConfig({ sandbox: 'required', python: '/usr/bin/python3' })
    const containment = containPython(config, [join(outside.path, 'data')])
    await using kernel = await openJupyter(ipykernel!, { containment })
    const end = await kernel.run(`
import glob, os
found = [os.path.join(at, name) for at, _, names in os.walk(${JSON.stringify(outside.path)}) for name in names]
environments = b"".join(open(path, "rb").read() for path in glob.glob("/proc/[0-9]*/environ") if os.access(path, os.R_OK))
(found, os.listdir(os.environ["HOME"]), b"CALLBOARD_SECRET" in environments, len(glob.glob("/proc/[0-9]*")) < 6)`)
    expect(end).toMatchObject({ error: null, result: '([], [], False, True)' })
  })

  it('has no network', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as { port: number }
      await using kernel = await openJupyter(ipykernel!, inSandbox)
      const end = await kernel.run(`import socket\nsocket.create_connection(("127.0.0.1", ${port}), 5)`)
      expect(end.error).toMatch(/ConnectionRefusedError/)
    } finally {
      server.close()
    }
  })

  it('is limited in its processes, and takes them along', async () => {
    const limits = { ...parseKernelConfig({}).limits, processes: 8 }
    await using kernel = await openJupyter(ipykernel!, { ...inSandbox, limits })
    const code =
      'import subprocess, time\nfor _ in range(20): subprocess.Popen(["setsid", "sleep", "4713.5"])\ntime.sleep(60)'
    await expect(kernel.run(code)).rejects.toThrow('died')
    const death = await kernel.runtime.died
    expect(explainDeath(death)).toMatch(/because there were too many of them: \d+ of at most 8 processes/)
    await until(() => processesWith('sleep 4713.5').length === 0)
  })

  it('is found in the home that it does not see', async () => {
    await using home = await temporaryDirectory()
    const venv = join(home.path, 'venv')
    execFileSync(ipykernel!.argv[0]!, ['-m', 'venv', '--system-site-packages', '--without-pip', venv])
    const specs = join(home.path, '.local', 'share', 'jupyter', 'kernels')
    await mkdir(join(specs, 'mine'), { recursive: true })
    await writeFile(join(home.path, '.local', 'share', 'secret'), 'secret')
    const argv = [join(venv, 'bin', 'python'), '-m', 'ipykernel_launcher', '-f', '{connection_file}']
    // Naming the whole home shows none of it, and hides nothing of the rest.
    const env = { PROJECTS: home.path }
    await writeFile(join(specs, 'mine', 'kernel.json'), JSON.stringify({ argv, language: 'python', env }))
    using _ = withEnvironment({ HOME: home.path })
    const { usable } = await findKernelspecs()
    const containment = containmentFor({ sandbox: 'required' })
    await using kernel = await openJupyter(usable.find(({ name }) => name === 'mine')!, { containment })
    const code = `import os, sys\n(sys.prefix, os.path.exists(${JSON.stringify(join(home.path, '.local', 'share', 'secret'))}))`
    expect(await kernel.run(code)).toMatchObject({ error: null, result: `('${venv}', False)` })
  })
})

import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Kernel } from '../src/kernel/kernel.js'
import { evaluate, openPool } from './support/fixture.js'
import { groupMembers, until } from './support/processes.js'
import { noSandbox, processesWith, realPython, withEnvironment } from './support/sandbox.js'

const resetAll = { level: 'process', replay: 'none', clearSession: false } as const
const inSandbox = { sandbox: 'required' }

async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'callboard-sandbox-test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

describe.skipIf(noSandbox)(`a kernel in a sandbox ${noSandbox ?? ''}`, () => {
  it('sees neither the runtime directory nor the data directory, but its own working directory', async () => {
    await using outside = await temporaryDirectory()
    const runtime = join(outside.path, 'runtime')
    const config = join(outside.path, 'callboard.config.json')
    await mkdir(runtime)
    await writeFile(join(runtime, 'operator.secret'), 'secret')
    await writeFile(config, 'secret')
    await using house = await openPool(inSandbox, [runtime, config])
    await writeFile(join(house.directory, 'sign-in.secret'), 'secret')
    await evaluate(house.kernel('another'), 'open("private", "w").write("secret")')
    const code = `
import os
found = [os.path.join(at, name) for top in ${JSON.stringify([house.directory, runtime])} for at, _, names in os.walk(top) for name in names]
open("mine", "w").close()
refused = []
for path in ${JSON.stringify([config, join(runtime, 'operator.secret'), join(house.directory, 'sign-in.secret')])}:
    try: open(path)
    except OSError: refused.append(path)
(found, os.listdir("."), len(refused))`
    const report = await evaluate(house.kernel(), code)
    expect(report.result).toBe("([], ['mine'], 3)")
  })

  it('cannot write into what is masked, not even unseen', async () => {
    await using house = await openPool(inSandbox)
    const report = await evaluate(house.kernel(), `open(${JSON.stringify(join(house.directory, 'planted'))}, "w")`)
    expect(report.error).toMatch(/Read-only file system/)
  })

  it('finds an empty home of its own that it may write to', async () => {
    await using home = await temporaryDirectory()
    await mkdir(join(home.path, '.ssh'))
    await writeFile(join(home.path, '.ssh', 'id'), 'secret')
    using _ = withEnvironment({ HOME: home.path })
    await using house = await openPool({ ...inSandbox, python: realPython })
    const code =
      'import os\nhome = os.path.expanduser("~")\nopen(home + "/x", "w").close()\n(home, sorted(os.listdir(home)))'
    const { result, error } = await evaluate(house.kernel(), code)
    expect(error).toBeNull()
    expect(result).toBe(`('${home.path}', ['x'])`)
  })

  it('has no rights beyond those of nobody in particular', async () => {
    await using house = await openPool(inSandbox)
    const code = `
import os, re
status = open("/proc/self/status").read()
try: open("/etc/callboard-was-here", "w")
except OSError as error: refused = error.strerror
(re.search(r"CapEff:\\s+(\\w+)", status)[1], re.search(r"NoNewPrivs:\\s+(\\w)", status)[1], os.getuid() == 0, refused)`
    const { result } = await evaluate(house.kernel(), code)
    expect(result).toBe("('0000000000000000', '1', False, 'Read-only file system')")
  })

  it('sees no process but its own, and nothing of the worker’s environment', async () => {
    using _ = withEnvironment({ CALLBOARD_SECRET: 'hub key', DATABASE_URL: 'postgres://user:password@host/db' })
    await using house = await openPool(inSandbox)
    const code = `
import os, glob
seen = glob.glob("/proc/[0-9]*/environ")
every = b"".join(open(path, "rb").read() for path in seen if os.access(path, os.R_OK))
(len(seen), b"CALLBOARD" in every, b"DATABASE" in every, [name for name in os.environ if "CALLBOARD" in name or "DATABASE" in name])`
    expect((await evaluate(house.kernel(), code)).result).toBe('(3, False, False, [])')
  })

  it.each([
    [false, 'refused'],
    [true, 'connected'],
  ])('reaches the network only when configured (%s)', async (sandboxNetwork, expected) => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    try {
      await using house = await openPool({ ...inSandbox, sandboxNetwork })
      const code = `
import socket
try:
    socket.create_connection(("127.0.0.1", ${port}), 5).close()
    outcome = "connected"
except OSError:
    outcome = "refused"
outcome`
      expect((await evaluate(house.kernel(), code)).result).toBe(`'${expected}'`)
      expect(house.kernel().runtime?.isolation.network).toBe(sandboxNetwork)
    } finally {
      server.close()
    }
  })

  it('has devices, shared memory and output like any other', async () => {
    await using house = await openPool(inSandbox)
    const code = `
import os, subprocess, multiprocessing.shared_memory as shared
block = shared.SharedMemory(create=True, size=1024 * 1024); block.close(); block.unlink()
open("/dev/null", "w").write("x")
subprocess.run("echo to stdout > /dev/stdout; echo $0 > /tmp/x; cat /tmp/x", shell=True)
len(os.urandom(4))`
    expect(await evaluate(house.kernel(), code)).toMatchObject({
      result: '4',
      stdout: expect.stringMatching(/^to stdout\n.*sh\n$/),
    })
  })

  it('keeps its files when its process is replaced', async () => {
    await using house = await openPool(inSandbox)
    await evaluate(house.kernel(), 'open("kept", "w").write("of epoch 1")')
    await house.kernel().reset(resetAll)
    const report = await evaluate(house.kernel(), 'open("kept").read()')
    expect(report).toMatchObject({ result: "'of epoch 1'", epoch: 2 })
  })

  it('is known by the number that this machine gives to Python itself', async () => {
    await using house = await openPool(inSandbox)
    await evaluate(house.kernel(), '1')
    const pid = house.kernel().runtime!.pid
    expect(await readFile(`/proc/${pid}/cmdline`, 'latin1')).toMatch(/start\.py/)
    expect(await readFile(`/proc/${pid}/cmdline`, 'latin1')).not.toMatch(/^bwrap/)
  })

  it.each([
    ['a sleep', 'import time; print(1)\ntime.sleep(60)'],
    ['a program', 'import subprocess; print(1)\nsubprocess.run(["sleep", "60"])'],
  ])('is interrupted (%s)', async (_, code) => {
    await using house = await openPool(inSandbox)
    const kernel = house.kernel()
    const report = await evaluate(kernel, `kept = 1\n${code}`, {
      onOutput: (run) => void kernel.interrupt(run, false),
    })
    expect(report.status).toBe('interrupted')
    expect((await evaluate(house.kernel(), 'kept')).result).toBe('1')
  })

  it('is killed where no interrupt helps, with the line that it was stuck at', async () => {
    await using house = await openPool(inSandbox)
    const report = await evaluate(house.kernel(), 'import itertools\nsum(itertools.repeat(0))', { timeoutMs: 100 })
    expect(report.status).toBe('kernel_died')
    expect(report.error).toMatch(/did not react to the interrupt[\s\S]*File "<cell-1>", line 2/)
  })

  it.each([
    ['its exit code', 'import os; os._exit(3)', /exited with code 3/],
    ['a crash', 'import ctypes; ctypes.string_at(0)', /\(SIGSEGV\)[\s\S]*File "<cell-1>", line 1/],
    ['SIGTERM', 'import os, signal; os.kill(os.getpid(), signal.SIGTERM)', /ended by SIGTERM/],
    ['SIGKILL', 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)', /killed by SIGKILL, which this worker/],
  ])('has its death explained (%s)', async (_, code, expected) => {
    await using house = await openPool(inSandbox)
    const report = await evaluate(house.kernel(), `${code}\nimport time; time.sleep(60)`)
    expect(report).toMatchObject({ status: 'kernel_died', error: expect.stringMatching(expected) })
  })

  it.each([
    ['when it ends by itself', (code: string) => `${code}\nos._exit(0)`, async () => {}],
    ['when it is reset', (code: string) => code, async (kernel: Kernel) => void (await kernel.reset(resetAll))],
  ])('takes programs along that left its group (%s)', async (_, codeOf, end) => {
    await using house = await openPool(inSandbox)
    const seconds = `${randomInt(10_000, 99_999)}.5`
    const daemon = `
import os, subprocess
subprocess.Popen(["setsid", "--fork", "sleep", "${seconds}"]).wait()
subprocess.Popen(["sleep", "${seconds}"], start_new_session=True)`
    await evaluate(house.kernel(), codeOf(daemon))
    await end(house.kernel())
    await until(() => processesWith(seconds).length === 0)
  })

  it('works with an interpreter in the home that it hides, behind a script that finds it', async () => {
    await using home = await temporaryDirectory()
    execFileSync(realPython, ['-m', 'venv', '--without-pip', join(home.path, 'venv')])
    await symlink(join(home.path, 'venv'), join(home.path, 'link'))
    const shim = join(home.path, 'python3')
    await writeFile(shim, `#!/bin/sh\nexec "${join(home.path, 'link', 'bin', 'python3')}" "$@"\n`)
    await chmod(shim, 0o755)
    await writeFile(join(home.path, 'secret'), 'secret')
    using _ = withEnvironment({ HOME: home.path })
    await using house = await openPool({ ...inSandbox, python: shim })
    const { result, error } = await evaluate(
      house.kernel(),
      'import os, sys, ssl, json\n(sys.prefix, os.listdir(os.environ["HOME"]))',
    )
    expect(error).toBeNull()
    expect(result).toContain('venv')
    expect(result).not.toContain('secret')
  })

  it('sees added paths, and writes only to those for that', async () => {
    await using outside = await temporaryDirectory()
    for (const name of ['readable', 'writable']) await mkdir(join(outside.path, name))
    await writeFile(join(outside.path, 'readable', 'data'), 'given')
    const sandboxPaths = { readable: [join(outside.path, 'readable')], writable: [join(outside.path, 'writable')] }
    await using house = await openPool({ ...inSandbox, sandboxPaths })
    const code = `
read = open(${JSON.stringify(join(outside.path, 'readable', 'data'))}).read()
open(${JSON.stringify(join(outside.path, 'writable', 'made'))}, "w").write(read)
open(${JSON.stringify(join(outside.path, 'readable', 'made'))}, "w")`
    expect((await evaluate(house.kernel(), code)).error).toMatch(/Read-only file system/)
    expect(await readFile(join(outside.path, 'writable', 'made'), 'utf8')).toBe('given')
  })

  it('never shows what is masked, whatever paths are added', async () => {
    await using outside = await temporaryDirectory()
    await mkdir(join(outside.path, 'runtime'))
    await writeFile(join(outside.path, 'runtime', 'secret'), 'secret')
    const sandboxPaths = { readable: [outside.path], writable: [outside.path] }
    await using house = await openPool({ ...inSandbox, sandboxPaths }, [join(outside.path, 'runtime')])
    const code = `import os; os.listdir(${JSON.stringify(join(outside.path, 'runtime'))})`
    expect((await evaluate(house.kernel(), code)).result).toBe('[]')
  })

  it('draws figures, and keeps the font list that takes long to make', async (context) => {
    const python = '/usr/bin/python3'
    try {
      execFileSync(python, ['-c', 'import matplotlib'], { stdio: 'ignore' })
    } catch {
      context.skip('matplotlib is not installed')
    }
    await using house = await openPool({ ...inSandbox, python })
    const code = 'import matplotlib.pyplot as plt, os\nplt.plot([1, 2])\nplt.savefig("figure.png")\nos.listdir()'
    const { result, stderr, error } = await evaluate(house.kernel(), code)
    expect(error).toBeNull()
    expect(result).toContain('figure.png')
    expect(result).toContain('.cache')
    expect(stderr).not.toMatch(/not a writable directory/)
  }, 60_000)

  it.each([
    ['idle', ''],
    ['holding the interpreter', 'import itertools; sum(itertools.repeat(0))'],
    ['stopped', 'import os, signal; os.kill(0, signal.SIGSTOP)'],
  ])('does not outlive its worker, nor do its programs (%s)', async (_, then) => {
    const seconds = `${randomInt(10_000, 99_999)}.5`
    const code = `import subprocess\nsubprocess.Popen(["sleep", "${seconds}"], start_new_session=True)\nsubprocess.Popen(["sleep", "${seconds}"])\nprint("in")\n${then}`
    const script = fileURLToPath(new URL('./support/doomed-worker.js', import.meta.url))
    const worker = spawn(process.execPath, [script, code, 'required'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const group = await new Promise<number>((resolve) =>
      worker.stdout.once('data', (line: Buffer) => resolve(Number(line.toString()))),
    )
    expect(processesWith(`sleep ${seconds}`)).toHaveLength(2)
    worker.kill('SIGKILL')
    await until(() => groupMembers(group).length === 0 && processesWith(`sleep ${seconds}`).length === 0)
  })
})

describe('where there is no sandbox', () => {
  it('auto says so, with the reason', async () => {
    await using empty = await temporaryDirectory()
    using _ = withEnvironment({ PATH: empty.path })
    await using house = await openPool({ sandbox: 'auto', python: realPython })
    await evaluate(house.kernel(), '1')
    expect(house.kernel().runtime?.isolation).toMatchObject({
      sandbox: 'none',
      network: true,
      description: expect.stringMatching(/^none \(.+\): code runs as the user of this worker/),
    })
  })

  it('required refuses to start, says why and what to do', async () => {
    await using empty = await temporaryDirectory()
    using environment = withEnvironment({ PATH: empty.path })
    await using house = await openPool({ sandbox: 'required', python: realPython })
    const report = await evaluate(house.kernel(), '1')
    expect(report).toMatchObject({ status: 'refused', failure: { code: 'kernel_start_failed' } })
    expect(report.error).toMatch(/A sandbox is required and there is none: .+\. Install bubblewrap/)
    environment[Symbol.dispose]()
    // Installed meanwhile: no restart of the worker needed.
    if (!noSandbox) expect((await evaluate(house.kernel(), '1')).result).toBe('1')
  })

  it('required refuses other runtimes too', async () => {
    await using outside = await temporaryDirectory()
    await mkdir(join(outside.path, 'other'))
    const spec = { argv: ['true', '{connection_file}'], display_name: 'Other', language: 'other' }
    await writeFile(join(outside.path, 'other', 'kernel.json'), JSON.stringify(spec))
    using _ = withEnvironment({ PATH: outside.path })
    await using house = await openPool({ sandbox: 'required', python: realPython, kernelspecDirs: [outside.path] })
    const report = await evaluate(house.kernel(), '1', { runtime: 'other' })
    expect(report).toMatchObject({ status: 'refused', failure: { code: 'kernel_start_failed' } })
    expect(report.error).toMatch(/A sandbox is required and there is none: .+\. Install bubblewrap/)
  })

  it('off does not look for one', async () => {
    await using house = await openPool({ sandbox: 'off' })
    await evaluate(house.kernel(), '1')
    expect(house.kernel().runtime?.isolation.description).toMatch(/^none \(turned off\)/)
  })
})

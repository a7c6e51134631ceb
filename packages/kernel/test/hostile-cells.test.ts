import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { evaluate, openPool, type PoolFixture } from './support/fixture.js'

let fixture: PoolFixture
const notes: string[] = []
const note = (error: Error) => notes.push(String(error))

beforeEach(async () => {
  notes.length = 0
  process.on('uncaughtException', note)
  fixture = await openPool()
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  process.off('uncaughtException', note)
  expect(notes).toEqual([])
})

/** A cell that has found the harness's own line to the worker. */
const speak = `
import gc, json, struct
channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
def say(text): channel._socket.sendall(struct.pack(">I", len(text)) + text.encode())
def run(): return __import__("callboard_kernel.attribution", fromlist=["*"]).run_of_caller()
def finish(**fields):
    names = {"added": [], "changed": [], "deleted": []}
    usual = dict(type="finished", run=run(), outcome="ok", result=None, error=None, resultOmitted=0, errorOmitted=0)
    say(json.dumps(dict(usual, durationS=0, names=names, **fields)))
`

describe('a cell that speaks to the worker itself', () => {
  it('cannot end the worker by what is nested deeper than a stack', async () => {
    const kernel = fixture.kernel()
    const deep = '"[" * 100000 + "]" * 100000'
    const display = `'{"type":"display","run":%d,"metadata":{},"data":{"application/json":' % run() + ${deep} + '}}'`
    const request = `'{"type":"request","id":-1,"run":%d,"firing":null,"method":"emit","params":{"name":"x","data":' % run() + ${deep} + '}}'`
    expect(await evaluate(kernel, `${speak}say(${display})\nsay(${request})\n1`)).toMatchObject({ result: '1' })
    expect(await evaluate(kernel, '2')).toMatchObject({ result: '2', epoch: 1 })
  })

  it('cannot make an answer that contradicts itself', async () => {
    const kernel = fixture.kernel()
    const fine = await evaluate(kernel, `${speak}finish(error="failed")`)
    expect(fine).toMatchObject({ status: 'ok', success: true, error: null })
  })

  it('cannot fill the answer', async () => {
    const kernel = fixture.kernel()
    const big = await evaluate(
      kernel,
      `${speak}
names = {"added": ["n" * 1000 + str(i) for i in range(5000)], "changed": [], "deleted": []}
say(json.dumps(dict(type="finished", run=run(), outcome="error", result="r" * 3000000, error="e" * 3000000,
    resultOmitted=-5, errorOmitted=0, durationS=-1, names=names)))`,
    )
    expect(JSON.stringify(big).length).toBeLessThan(512 * 1024)
    expect(big).toMatchObject({ status: 'error', duration_s: 0, truncated: { result: 3_000_000 - 16 * 1024 } })
    expect(big.names.added).toHaveLength(100)
    expect(kernel.names.length).toBeLessThanOrEqual(100)
  })
})

describe('a program that asks without end in the name of a kernel that does not read', () => {
  it('does not fill the worker', async () => {
    const kernel = fixture.kernel()
    const before = process.memoryUsage().rss
    const asks = `${speak}
import fcntl, os, signal, subprocess, sys, vibeweaver
for _ in range(20): vibeweaver.emit("e", "x" * 60000)
cursor = vibeweaver.events(limit=1).cursor.rpartition(".")[0] + ".0"
line = fcntl.fcntl(channel._socket.fileno(), fcntl.F_DUPFD, 0)
program = """
import json, os, select, signal, struct, sys, time
line, cursor = int(sys.argv[1]), sys.argv[2]
os.kill(os.getppid(), signal.SIGSTOP)
end = time.time() + 3
asked = 0
while time.time() < end:
    if not select.select([], [line], [], 0.1)[1]: continue
    asked += 1
    ask = dict(type="request", id=-asked, run=1, firing=None, method="events", params=dict(cursor=cursor, limit=1000))
    text = json.dumps(ask).encode()
    os.write(line, struct.pack(">I", len(text)) + text)
os.kill(os.getppid(), signal.SIGCONT)
print(asked)
"""
subprocess.run([sys.executable, "-c", program, str(line), cursor], pass_fds=[line], capture_output=True)`
    expect(await evaluate(kernel, asks)).toMatchObject({ status: 'ok' })
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
    expect(await evaluate(kernel, '2')).toMatchObject({ result: '2', epoch: 1 })
  })
})

describe('a cell', () => {
  it('that binds a name of 20 MB, or one that is no text of Unicode, is answered', async () => {
    const kernel = fixture.kernel()
    const long = await evaluate(kernel, 'globals()["x" * 20_000_000] = 1')
    expect(long).toMatchObject({ status: 'ok', epoch: 1 })
    expect(long.names.added).toEqual([`${'x'.repeat(200)}…`])
    const odd = await evaluate(kernel, 'globals()[chr(0xd800) + "a"] = 1')
    expect(odd.names.added).toEqual(['\ufffda'])
    const listed = (await kernel.runtime!.python!.ask('variables', { pattern: null, type: null, limit: 10 })) as object
    expect(JSON.stringify(listed).length).toBeLessThan(2_000)
  })

  it('that sends more than the line to the worker takes has an error, and keeps its kernel', async () => {
    const kernel = fixture.kernel()
    const said = await evaluate(kernel, 'import vibeweaver\nvibeweaver.note("x" * 20_000_000)')
    expect(said).toMatchObject({ status: 'error', error: expect.stringContaining('ValueError') })
    expect(await evaluate(kernel, '1')).toMatchObject({ result: '1', epoch: 1 })
  })

  it.each([
    ['json', 'import json; json.dumps = json.loads = None'],
    ['struct', 'import struct; struct.pack = struct.unpack = None'],
    ['the process id', 'import os; os.getpid = lambda: 1'],
    ['the clock', 'import time; time.monotonic = None'],
  ])('that replaces functions of %s keeps its kernel', async (_, code) => {
    const kernel = fixture.kernel()
    await evaluate(kernel, code)
    expect(await evaluate(kernel, '1 + 1')).toMatchObject({ result: '2', epoch: 1 })
  })

  it('that takes the built-in names away has them again after a reset of the names', async () => {
    const kernel = fixture.kernel()
    await evaluate(kernel, '__builtins__ = {}')
    await kernel.reset({ level: 'names', replay: 'none', clearSession: false })
    expect(await evaluate(kernel, 'print(1); len("ab")')).toMatchObject({ stdout: '1\n', result: '2', epoch: 1 })
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRuntime, type RuntimeBench } from './support/runtime-bench.js'

let kernel: RuntimeBench

beforeAll(async () => {
  kernel = await openRuntime()
  await kernel.run('import asyncio, concurrent.futures, contextvars, gc, os, signal, sys, threading, time')
})
afterAll(() => kernel[Symbol.asyncDispose]())

describe('late output', () => {
  it('of a thread lands in its run, between runs and during a later one', async () => {
    const first = await kernel.run(`
ask, said = threading.Semaphore(0), threading.Semaphore(0)
def work():
    for word in ("between", "during"):
        ask.acquire(); print(word); print(word, file=sys.stderr); said.release()
threading.Thread(target=work).start()
print("first")`)
    expect(first.stdout).toBe('first\n')
    await kernel.run('threading.Timer(0.01, ask.release).start()')
    await kernel.seen(first.run, 'between\n')
    const later = await kernel.run('print("a"); said.acquire(); ask.release(); said.acquire(); print("b")')
    expect(later).toMatchObject({ stdout: 'a\nb\n', stderr: '' })
    expect(kernel.stdout(first.run)).toBe('first\nbetween\nduring\n')
    expect(kernel.stderr(first.run)).toBe('between\nduring\n')
  })

  it('of a thread that keeps printing across runs never lands in another one', async () => {
    const noisy = await kernel.run(`
stop = threading.Event()
def noise():
    while not stop.is_set(): print("noise " * 10)
noisy = threading.Thread(target=noise); noisy.start()`)
    for (let i = 0; i < 20; i += 1) {
      const quiet = await kernel.run(`for i in range(50): print(${i})\nos.system("echo program")`)
      expect(quiet.stdout).toBe(`${`${i}\n`.repeat(50)}program\n`)
    }
    await kernel.run('stop.set(); noisy.join()')
    const { omittedBytes } = kernel.outputs.get(noisy.run)!.stdout.read()
    expect(kernel.stdout(noisy.run).replace(`\n[... ${omittedBytes} bytes omitted ...]\n`, '')).toMatch(/^[noise \n]+$/)
    expect(kernel.late.filter((run) => run !== noisy.run)).toEqual([])
  })

  it('of a task lands in its run', async () => {
    const first = await kernel.run(`
go = asyncio.Event()
async def tick():
    await go.wait(); print("tick")
task = asyncio.create_task(tick()); await asyncio.sleep(0)`)
    const second = await kernel.run('print("go"); go.set(); await task; print("gone")')
    expect(second.stdout).toBe('go\ngone\n')
    expect(kernel.stdout(first.run)).toBe('tick\n')
  })

  it('of what a thread has started is that of its run too: threads, timers, raw threads, an event loop', async () => {
    const first = await kernel.run(`
import _thread
go, done = threading.Event(), threading.Semaphore(0)
def child(word): go.wait(); sys.stdout.write(word + "\\n"); done.release()
async def coroutine(): child("task")
def parent():
    threading.Thread(target=child, args=("thread",)).start()
    threading.Timer(0, child, ("timer",)).start()
    _thread.start_new_thread(child, ("raw",))
    threading.Thread(target=lambda: asyncio.run(coroutine())).start()
    threading.Thread(target=lambda: contextvars.Context().run(child, "context")).start()
starter = threading.Thread(target=parent); starter.start(); starter.join()`)
    expect((await kernel.run('go.set()\nfor _ in range(5): done.acquire()')).stdout).toBe('')
    expect(kernel.stdout(first.run).trim().split('\n').sort()).toEqual(['context', 'raw', 'task', 'thread', 'timer'])
  })

  it('of a pool of threads is that of the run that gave it the work', async () => {
    const first = await kernel.run(
      'pool = concurrent.futures.ThreadPoolExecutor(1); pool.submit(print, "one").result()',
    )
    const second = await kernel.run('pool.submit(print, "two").result(); await asyncio.to_thread(print, "three")')
    const third = await kernel.run(
      'await asyncio.get_running_loop().run_in_executor(pool, print, "four"); pool.shutdown()',
    )
    expect([first, second, third].map(({ stdout }) => stdout)).toEqual(['one\n', 'two\nthree\n', 'four\n'])
  })

  it('of a forked process lands in its run', async () => {
    const first = await kernel.run(`
reader, writer = os.pipe()
if os.fork() == 0:
    os.read(reader, 1); print("child"); os._exit(0)`)
    expect((await kernel.run('os.write(writer, b"x"); os.wait(); print("parent")')).stdout).toBe('parent\n')
    expect(kernel.stdout(first.run)).toBe('child\n')
  })

  it('is told of once it has settled, so that it can be recorded', async () => {
    const first = await kernel.run(
      'go = threading.Event(); threading.Thread(target=lambda: (go.wait(), print("x"))).start()',
    )
    await kernel.run('go.set()')
    await kernel.seen(first.run, 'x\n')
    kernel.outputs.close()
    expect(kernel.late).toContain(first.run)
  })
})

describe('a question of code in the kernel', () => {
  it('names the run of the thread or task that asks', async () => {
    const asked: (number | null)[] = []
    await using kernel = await openRuntime({
      onRequest: ({ run, resolve }) => {
        asked.push(run)
        resolve(null)
      },
    })
    await kernel.run(`
import asyncio, gc, threading
bridge = next(o for o in gc.get_objects() if type(o).__name__ == "Bridge")
go, ready = threading.Event(), asyncio.Event()
thread = threading.Thread(target=lambda: (go.wait(), bridge.request("x", {}))); thread.start()
async def ask(): await ready.wait(); await bridge.request_async("x", {})
task = asyncio.create_task(ask()); await asyncio.sleep(0)`)
    const second = await kernel.run('go.set(); thread.join(); ready.set(); await task; bridge.request("x", {})')
    expect(second.error).toBeNull()
    expect(asked).toEqual([1, 1, 2])
  })
})

describe('streams of Python', () => {
  it('take more than a pipe holds from several threads without tearing or a stall', async () => {
    const report = await kernel.run(`
def work(mark):
    for _ in range(5): sys.stdout.write(mark * 50_000)
threads = [threading.Thread(target=work, args=(mark,)) for mark in "abc"]
for thread in threads: thread.start()
sys.stdout.write("d" * 250_000)
for thread in threads: thread.join()`)
    const { stdout } = kernel.outputs.get(report.run)!
    expect(stdout.totalBytes).toBe(1_000_000)
    expect(report.error).toBeNull()
  })

  it('keep bytes and text of one stream in order, and say how much was written', async () => {
    const report = await kernel.run(
      'print(end="a"); n = sys.stdout.buffer.write(bytearray(b"b")); sys.stdout.write("c"); os.write(1, b"d"); sys.stdout.buffer.write(memoryview(b"e")); n',
    )
    expect(report).toMatchObject({ stdout: 'abcde', result: '1' })
  })

  it('look like those of Python', async () => {
    const report = await kernel.run(
      '[(s.name, s.mode, s.encoding, s.fileno(), s.isatty(), s.writable(), s.errors) for s in (sys.stdout, sys.stderr)]',
    )
    expect(report.result).toBe(
      "[('<stdout>', 'w', 'utf-8', 1, False, True, 'surrogateescape'), ('<stderr>', 'w', 'utf-8', 2, False, True, 'backslashreplace')]",
    )
  })

  it('are as new in the next run when a cell has closed or taken them apart', async () => {
    for (const code of [
      'sys.stdout.close()',
      'os.close(1)',
      'sys.stdout.detach(); None',
      'sys.stdout.buffer.close()',
    ]) {
      const closing = await kernel.run(`print("before"); ${code}`)
      expect(closing).toMatchObject({ stdout: 'before\n', outcome: 'ok' })
      expect(await kernel.run('print("after"); os.system("echo program")')).toMatchObject({
        stdout: 'after\nprogram\n',
      })
    }
    expect(await kernel.run('sys.stdout.close(); print("x")')).toMatchObject({ outcome: 'error', stdout: '' })
  })

  it('write no marks into a file that a cell has put in the place of descriptor 1', async () => {
    const report = await kernel.run(`
import tempfile
keep = os.dup(1)
with tempfile.TemporaryFile() as file:
    os.dup2(file.fileno(), 1)
    print("main")
    thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
    os.dup2(keep, 1); os.close(keep)
    file.seek(0); content = file.read()
content`)
    expect(report).toMatchObject({ result: "b'main\\nthread\\n'", stdout: '' })
  })

  it('wait when a program has made the descriptor non-blocking', async () => {
    const report = await kernel.run(`
os.set_blocking(1, False)
thread = threading.Thread(target=sys.stdout.write, args=("t" * 500_000,)); thread.start()
sys.stdout.write("m" * 500_000); thread.join(); os.set_blocking(1, True)`)
    expect(report.error).toBeNull()
    expect(kernel.outputs.get(report.run)!.stdout.totalBytes).toBe(1_000_000)
  })

  it('are no trap for signal handlers, finalizers and forks in the middle of a write', async () => {
    const report = await kernel.run(`
class Last:
    def __del__(self): print("gone")
def handler(*_): print("signal")
signal.signal(signal.SIGALRM, handler); signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
def work():
    for _ in range(300): print("thread"); Last()
thread = threading.Thread(target=work); thread.start()
for _ in range(20):
    if os.fork() == 0: print("child"); os._exit(0)
    os.wait()
for _ in range(300): print("main")
thread.join(); signal.setitimer(signal.ITIMER_REAL, 0); None`)
    expect(report.error).toBeNull()
    const { bytes } = await kernel.outputs.get(report.run)!.stdout.readAt(0, 100_000)
    const lines = bytes.toString().split('\n')
    for (const [word, count] of [['gone', 300] as const, ['thread', 300] as const, ['child', 20] as const])
      expect(lines.filter((line) => line.includes(word)).length).toBe(count)
  })
})

describe.each(['3.9.18', '3.10.13', '3.12.1', '3.13.0'])('CPython %s', (version) => {
  const python = `${process.env['PYENV_ROOT'] ?? `${process.env['HOME']}/.pyenv`}/versions/${version}/bin/python3`

  it('carries runs over to threads and tasks as well', async ({ skip }) => {
    const bench = await openRuntime({ python }).catch(() => undefined)
    if (!bench) return skip(`CPython ${version} is not installed by pyenv`)
    await using other = bench
    const first = await other.run(`
import asyncio, threading
go, ready = threading.Event(), asyncio.Event()
thread = threading.Thread(target=lambda: (go.wait(), print("thread"))); thread.start()
async def wait(): await ready.wait(); print("task")
task = asyncio.create_task(wait()); await asyncio.sleep(0)`)
    expect((await other.run('go.set(); thread.join(); ready.set(); await task')).stdout).toBe('')
    expect(other.stdout(first.run)).toBe('thread\ntask\n')
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunReport } from '../src/kernel/run-report.js'
import { evaluate, openPool, type PoolFixture } from './support/fixture.js'

let house: PoolFixture
let run: (code: string) => Promise<RunReport>

beforeAll(async () => {
  house = await openPool()
  run = (code) => evaluate(house.kernel(), code)
})
afterAll(() => house[Symbol.asyncDispose]())

describe('capture at the descriptors', () => {
  it('lets a program open /dev/stdout and /dev/stderr', async () => {
    const report = await run(
      'import subprocess\nsubprocess.run("echo x > /dev/stdout; echo y > /dev/stderr", shell=True).returncode',
    )
    expect(report).toMatchObject({ result: '0', stdout: 'x\n', stderr: 'y\n' })
  })

  it('keeps prints, programs and C code in their true order', async () => {
    const code = `
import ctypes, os, sys
print("python", end=" ")
os.system("printf shell")
libc = ctypes.CDLL(None)
libc.printf(b" C")
sys.stderr.write("error")
os.write(1, b" raw")
`
    const report = await run(code)
    expect(report).toMatchObject({ stdout: 'python shell C raw', stderr: 'error' })
  })

  it('is not fooled by a cell that replaces or closes its streams', async () => {
    expect(await run('import io, sys\nsaved = sys.stdout\nsys.stdout = io.StringIO()\nprint("hidden")')).toMatchObject({
      stdout: '',
    })
    expect(await run('sys.stdout = saved\nprint("seen")')).toMatchObject({ stdout: 'seen\n' })
    expect(await run('import os\nkeep = os.dup(1)\nos.close(1)')).toMatchObject({ success: true })
    expect(await run('os.dup2(keep, 1)\nprint("again")')).toMatchObject({ stdout: 'again\n', success: true })
  })

  it('joins a multi-byte character that was written in pieces, and replaces broken ones', async () => {
    const code = 'import os\nfor byte in "é😀".encode():\n    os.write(1, bytes([byte]))\n'
    expect((await run(code)).stdout).toBe('é😀')
    expect((await run('import os; os.write(1, b"a\\xffb"); None')).stdout).toBe('a\uFFFDb')
  })

  it('strips escape sequences and collapses progress bars', async () => {
    const code = String.raw`print("\x1b[31mred\x1b[0m \x1b]0;title\x07done")
for i in range(101): print("\r%d%%" % i, end="")
print("\r\nend\r")`
    expect((await run(code)).stdout).toBe('red done\n100%\nend\n')
  })

  it('cuts the middle of long output, with the exact number of bytes', async () => {
    const report = await run('print("a" * 20_000 + "b" * 80_000)')
    const [, omitted] = /\n\[\.\.\. (\d+) bytes omitted \.\.\.\]\n/.exec(report.stdout) ?? []
    expect(Number(omitted)).toBe(100_001 - 32 * 1024)
    expect(report.truncated).toEqual({ stdout: 100_001 - 32 * 1024 })
    expect(report.stdout).toMatch(/^aaaa/)
    expect(report.stdout).toMatch(/bbbb\n$/)
  })

  it('takes 100 MB without a stall or growth', async () => {
    await run('1')
    global.gc?.()
    const before = process.memoryUsage().rss
    const report = await run(
      'import sys\nline = "0123456789" * 10 + "\\n"\nfor _ in range(100): sys.stdout.write(line * 10_000)',
    )
    expect(report).toMatchObject({ success: true, truncated: { stdout: 101_000_000 - 32 * 1024 } })
    expect(Buffer.byteLength(report.stdout)).toBeLessThan(33 * 1024)
    expect(report.duration_s).toBeLessThan(10)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  })

  it('tells of background output in the next reply, and mixes it into no run', async () => {
    const code =
      'import threading\ngo = threading.Event(); said = threading.Event()\ndef work():\n    go.wait(); print("late"); said.set()\nthreading.Thread(target=work, daemon=True).start()'
    expect(await run(code)).toMatchObject({ stdout: '', notices: [] })
    await run('threading.Timer(0.02, go.set).start()')
    const next = await run('said.wait(5)')
    const notice = 'Written to stdout by background work between runs: late\n'
    // The thread writes between two runs or during this one; either way once and in one place.
    expect([next.stdout, ...next.notices].filter((text) => text === 'late\n' || text === notice)).toHaveLength(1)
  })

  it('keeps two agents apart', async () => {
    const other = house.kernel('session-2')
    const mine = Array.from({ length: 10 }, (_, i) =>
      run(`import os\nwho = "mine"\nprint("mine ${i}")\nos.system("echo mine ${i}")\n${i}`),
    )
    const theirs = Array.from({ length: 10 }, (_, i) =>
      evaluate(other, `print("theirs ${i}")\n"who" in globals(), ${i}`),
    )
    for (const [i, report] of (await Promise.all(mine)).entries()) {
      expect(report).toMatchObject({ stdout: `mine ${i}\nmine ${i}\n`, result: `${i}` })
    }
    for (const [i, report] of (await Promise.all(theirs)).entries()) {
      expect(report).toMatchObject({ stdout: `theirs ${i}\n`, result: `(False, ${i})` })
    }
  })
})

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

  it('shows the whole traceback after 1 MB of output', async () => {
    const report = await run('print("x" * 1_000_000)\nfor i in range(20_000): print("line", i)\n1 / 0')
    expect(report.error).toMatch(/File "<cell-\d+>", line 3[\s\S]*ZeroDivisionError: division by zero$/)
    expect(report.stdout).toMatch(/line 19999\n$/)
  })

  it('keeps what was written before a kernel died', async () => {
    const report = await run('import os\nprint("last words", flush=True)\nos.system("echo program")\nos._exit(3)')
    expect(report).toMatchObject({ status: 'kernel_died', stdout: 'last words\nprogram\n' })
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

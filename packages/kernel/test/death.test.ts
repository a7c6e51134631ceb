import { describe, expect, it } from 'vitest'
import { crashTrace } from '../src/runtime/crash-trace.js'
import { type Death, explainDeath } from '../src/runtime/death.js'

const death: Death = { code: null, signal: null, outOfMemory: false, faults: '' }

describe('explainDeath', () => {
  it.each<[Partial<Death>, RegExp]>([
    [{ signal: 'SIGKILL' }, /likely out of memory/],
    [{ signal: 'SIGKILL', outOfMemory: true }, /control group ran out of memory/],
    [{ signal: 'SIGSEGV', faults: 'Fatal Python error' }, /^It crashed in native code \(SIGSEGV\)\.$/],
    [{ code: 3 }, /exited with code 3/],
    [{ signal: 'SIGKILL', cause: 'stuck' }, /did not react to the interrupt/],
    [{ signal: 'SIGKILL', cause: 'evicted' }, /idle for longest/],
    [{ signal: 'SIGTERM', cause: 'idle' }, /long time without a call/],
  ])('of %j', (details, expected) => {
    expect(explainDeath({ ...death, ...details })).toMatch(expected)
  })

  it.each([
    [undefined, /\(os\._exit, or an extension/],
    ['python', /\(exit\(\), quit\(\), os\._exit, or an extension/],
    ['r', /\(quit\(\), or native code/],
    ['julia', /\(the code, or a library that it uses, ended the process\)/],
  ])('names what ends a process of %s', (language, expected) => {
    expect(explainDeath({ ...death, code: 3, ...(language !== undefined && { language }) })).toMatch(expected)
  })

  it('blames C code that holds the interpreter only where there is one', () => {
    const stuck = { ...death, signal: 'SIGKILL', cause: 'stuck' } as const
    expect(explainDeath(stuck)).toMatch(/C code held the interpreter/)
    expect(explainDeath({ ...stuck, language: 'r' })).not.toMatch(/interpreter/)
  })

  it('never blames memory or strangers for what this worker did', () => {
    for (const cause of ['stuck', 'reset', 'session_closed', 'idle', 'evicted', 'stopping', 'protocol'] as const) {
      expect(explainDeath({ ...death, signal: 'SIGKILL', cause })).not.toMatch(/memory|did not send/)
    }
  })
})

describe('the trace of a crash', () => {
  const faults = `Fatal Python error: Segmentation fault

Thread 0x01 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "/app/python/callboard_kernel/rules.py", line 190 in _take

Thread 0x02 (most recent call first):
  File "<cell-3>", line 2 in work

Current thread 0x03 (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "<cell-4>", line 1 in <module>
  File "/app/python/callboard_kernel/runner.py", line 160 in _run_cell
  File "/app/python/start.py", line 13 in <module>

Extension modules: one, two (total: 2)
`

  it('shows the threads that run code of cells, without the harness', () => {
    expect(crashTrace(faults)).toBe(`Fatal Python error: Segmentation fault
Thread 0x02 (most recent call first):
  File "<cell-3>", line 2 in work
Current thread 0x03 (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "<cell-4>", line 1 in <module>`)
  })

  it('is bounded, and its end is what counts', () => {
    expect(crashTrace(`${'x'.repeat(10_000)}end`)).toMatch(/^…x{3069}end$/)
    expect(crashTrace('')).toBe('')
  })
})

import { describe, expect, it } from 'vitest'
import { type Death, explainDeath } from '../src/runtime/death.js'

const death: Death = { code: null, signal: null, outOfMemory: false, faults: '' }

describe('explainDeath', () => {
  it.each<[Partial<Death>, RegExp]>([
    [{ signal: 'SIGKILL' }, /likely out of memory/],
    [{ signal: 'SIGKILL', outOfMemory: true }, /control group ran out of memory/],
    [{ signal: 'SIGSEGV', faults: 'Fatal Python error' }, /crashed in native code \(SIGSEGV\)\.\nFatal Python error/],
    [{ code: 3 }, /exited with code 3/],
    [{ signal: 'SIGKILL', cause: 'stuck' }, /did not react to the interrupt/],
    [{ signal: 'SIGKILL', cause: 'evicted' }, /idle for longest/],
    [{ signal: 'SIGTERM', cause: 'idle' }, /long time without a call/],
  ])('of %j', (details, expected) => {
    expect(explainDeath({ ...death, ...details })).toMatch(expected)
  })

  it('never blames memory or strangers for what this worker did', () => {
    for (const cause of ['stuck', 'reset', 'session_closed', 'idle', 'evicted', 'stopping', 'protocol'] as const) {
      expect(explainDeath({ ...death, signal: 'SIGKILL', cause })).not.toMatch(/memory|did not send/)
    }
  })
})

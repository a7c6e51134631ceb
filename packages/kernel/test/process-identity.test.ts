import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { reapOrphans } from '../src/isolation/orphans.js'
import { identityOf, stateOf } from '../src/isolation/process-identity.js'
import { parsePs } from '../src/isolation/process-table.js'

describe('the identity of a process', () => {
  it('stays the same, and is that of no other', async () => {
    const own = (await identityOf(process.pid))!
    expect(await identityOf(process.pid)).toEqual(own)
    expect(await stateOf(own)).toBe('alive')
    expect((await identityOf(process.ppid))!.pidStarted).not.toBe(own.pidStarted)
  })

  it('tells a number that was given again', async () => {
    const own = (await identityOf(process.pid))!
    expect(await stateOf({ pid: own.pid, pidStarted: `${own.pidStarted}1` })).toBe('gone')
  })

  it('ends with the process', async () => {
    const child = spawn('sleep', ['60'])
    const identity = (await identityOf(child.pid!))!
    expect(await stateOf(identity)).toBe('alive')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await stateOf(identity)).toBe('gone')
    expect(await identityOf(child.pid!)).toBeUndefined()
  })

  it('of another machine is not known here', async () => {
    expect(await stateOf({ pid: process.pid, pidStarted: 'another-boot/1/1' })).toBe('unknown')
    expect(await stateOf({ pid: process.pid, pidStarted: null })).toBe('unknown')
  })
})

describe('orphans', () => {
  it('are ended with their group, when they still are who they were', async () => {
    const left = spawn('sh', ['-c', 'sleep 60 & wait'], { detached: true, stdio: 'ignore' })
    const ended = once(left, 'exit')
    const identity = (await identityOf(left.pid!))!
    expect(await reapOrphans([{ ...identity, pidStarted: `${identity.pidStarted}1` }])).toEqual([])
    expect(await stateOf(identity)).toBe('alive')
    expect(await reapOrphans([identity])).toEqual([identity])
    expect(await ended).toEqual([null, 'SIGKILL'])
  })

  it('are left alone when they lead no group: they were no kernel', async () => {
    const other = spawn('sleep', ['60'])
    const identity = (await identityOf(other.pid!))!
    expect(await reapOrphans([identity])).toEqual([])
    expect(await stateOf(identity)).toBe('alive')
    other.kill()
    await once(other, 'exit')
  })
})

describe('the list of ps', () => {
  it('is read where there is no /proc', () => {
    const text =
      '  501     1   501  12345 Ss   Mon Nov 17 10:00:00 2025\n  502   501   501      0 Z    Mon Nov 17 10:00:01 2025\n\n'
    expect(parsePs(text)).toEqual([
      {
        pid: 501,
        parent: 1,
        group: 501,
        residentBytes: 12345 * 1024,
        started: 'Mon Nov 17 10:00:00 2025',
        ended: false,
      },
      { pid: 502, parent: 501, group: 501, residentBytes: 0, started: 'Mon Nov 17 10:00:01 2025', ended: true },
    ])
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { identityOf, killGroup } from '../../src/runners/process-identity.js'
import { groupLives, parsePs } from '../../src/runners/process-table.js'

describe('the identity of a process', () => {
  it('is that of no other, and ends with it', async () => {
    const child = spawn('sleep', ['600'])
    const identity = await identityOf(child.pid!)
    expect(identity).toMatch(/.\/./)
    expect(await identityOf(child.pid!)).toBe(identity)
    expect(await identityOf(process.pid)).not.toBe(identity)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await identityOf(child.pid!)).toBeNull()
  })
})

describe('a recorded group', () => {
  const orphan = async () => {
    const leader = spawn('sh', ['-c', 'trap "" TERM; sleep 600 & echo; wait'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = once(leader, 'exit')
    await once(leader.stdout!, 'data')
    return { pgid: leader.pid!, identity: (await identityOf(leader.pid!))!, ended }
  }

  it('is killed with all that is in it', async () => {
    const { pgid, identity, ended } = await orphan()
    expect(await killGroup(pgid, identity)).toBe('killed')
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(await groupLives(pgid)).toBe(false)
    expect(await killGroup(pgid, identity)).toBe('gone')
  })

  it('is left alone when its number was given again, or is that of another machine or boot', async () => {
    const { pgid, identity, ended } = await orphan()
    expect(await killGroup(pgid, `${identity}1`)).toBe('gone')
    expect(await killGroup(pgid, 'another-boot/1/1')).toBe('unknown')
    expect(await killGroup(pgid, null)).toBe('unknown')
    for (const wrong of [0, 1, -1, 1.5, Number.NaN]) expect(await killGroup(wrong, identity)).toBe('unknown')
    expect(await groupLives(pgid)).toBe(true)
    expect(await killGroup(pgid, identity)).toBe('killed')
    await ended
  })
})

describe('the list of ps', () => {
  it('is read where there is no /proc', () => {
    const text = '  501   501 Ss   Mon Nov 17 10:00:00 2025\n  502   501 Z    Mon Nov 17 10:00:01 2025\n\n'
    expect(parsePs(text)).toEqual([
      { pid: 501, group: 501, started: 'Mon Nov 17 10:00:00 2025', ended: false },
      { pid: 502, group: 501, started: 'Mon Nov 17 10:00:01 2025', ended: true },
    ])
  })
})

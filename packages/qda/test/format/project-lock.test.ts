import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@callboard/worker/testing'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createProjectFolder } from '../../src/format/create-project-folder.js'
import { lockFileName, ProjectLock } from '../../src/format/project-lock.js'
import { startLockProcess } from '../support/lock-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const start = Date.parse('2026-03-02T12:00:00Z')
let path: string
let file: string
let clock: VirtualClock

beforeEach(() => {
  path = join(temporaryFolder(), 'Study.qda')
  file = join(path, lockFileName)
  clock = new VirtualClock(start)
  createProjectFolder({ path, name: 'Study' }, { coder: 'Ana', now: start, timeZone: 'UTC' })
})

function newLock(id = 'a'): ProjectLock {
  const lock = new ProjectLock(path, clock, id)
  onTestFinished(() => lock.release())
  return lock
}

function written(): { readonly user: string; readonly at: number } {
  const [user = '', seconds = ''] = readFileSync(file, 'utf8').split('\n')
  return { user, at: Number(seconds) * 1000 }
}

/** As QualCoder writes it. */
function writeForeign(at: number): void {
  writeFileSync(file, `marie\n${at / 1000}.123`)
}

/** What waits for the clock goes on after its turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a project that nobody has open', () => {
  it('is locked as QualCoder 3 does, with a name and the time', async () => {
    const lock = newLock()
    expect([await lock.acquire(), lock.isOurs, lock.holder]).toEqual([true, true, null])
    expect(written()).toEqual({ user: expect.stringMatching(/ \(callboard a\)$/), at: start })
  })

  it('is free again after the release, which may come twice', async () => {
    const lock = newLock()
    await lock.acquire()
    await lock.release()
    await lock.release()
    expect([existsSync(file), lock.isOurs, lock.stillOurs()]).toEqual([false, false, false])
    expect(await newLock('b').acquire()).toBe(true)
  })

  it('may be locked twice by the same lock', async () => {
    const lock = newLock()
    expect([await lock.acquire(), await lock.acquire()]).toEqual([true, true])
  })

  it('says every 5 seconds that it is in use, in place', async () => {
    const lock = newLock()
    await lock.acquire()
    const { length } = readFileSync(file)
    for (const seconds of [5, 10, 15]) {
      clock.advance(5_000)
      await turn()
      expect(written().at).toBe(start + seconds * 1_000)
      expect(readFileSync(file)).toHaveLength(length)
    }
    await lock.release()
    expect(clock.nextWake).toBeUndefined()
  })

  it('is not locked while another program writes to it', async () => {
    const writer = new Database(join(path, 'data.qda'))
    writer.exec('BEGIN IMMEDIATE')
    expect([await newLock().acquire(), existsSync(file)]).toEqual([false, false])
    writer.close()
  })
})

describe("another's lock", () => {
  it.each([
    ['fresh', 0, false],
    ['29 seconds old', -29_000, false],
    ['31 seconds old', -31_000, true],
    ['a year old', -365 * 86_400_000, true],
    ['of a clock that is a little ahead', 20_000, false],
  ])('%s', async (_, age, isTaken) => {
    writeForeign(start + age)
    const lock = newLock()
    expect(await lock.acquire()).toBe(isTaken)
    expect(lock.isOurs).toBe(isTaken)
    if (!isTaken) expect(lock.holder).toEqual({ user: 'marie', at: start + age + 123 })
    expect(written().user).toEqual(isTaken ? expect.stringContaining('callboard') : 'marie')
  })

  it.each([
    ['of a time yet to come', `marie\n${(start + 86_400_000) / 1000}`],
    ['without a time', 'marie'],
    ['that is empty', ''],
    ['of any bytes', '\0\n\u{1F469}\n\n'],
    ['that is very long', 'x'.repeat(100_000)],
    ['of a time that is no number', 'marie\nInfinity'],
  ])('%s is as old as its file', async (_, text) => {
    writeFileSync(file, text)
    utimesSync(file, start / 1000 - 10, start / 1000 - 10)
    expect(await newLock().acquire()).toBe(false)
    utimesSync(file, start / 1000 - 40, start / 1000 - 40)
    expect(await newLock().acquire()).toBe(true)
  })

  it('is nobody to be moved where it is a folder', async () => {
    mkdirSync(file)
    expect(await newLock().acquire()).toBe(false)
    expect(existsSync(file)).toBe(true)
  })

  it('can be tried for again', async () => {
    writeForeign(start)
    const lock = newLock()
    expect(await lock.acquire()).toBe(false)
    rmSync(file)
    expect(await lock.acquire()).toBe(true)
  })
})

describe('a lock of ours', () => {
  it('is lost when somebody else writes it, and then left alone', async () => {
    const lock = newLock()
    await lock.acquire()
    writeForeign(start)
    expect(lock.stillOurs()).toBe(false)
    expect(lock.holder).toEqual({ user: 'marie', at: start + 123 })
    clock.advance(5_000)
    await turn()
    await lock.release()
    expect(written().user).toBe('marie')
  })

  it('is seen to be lost at the next refresh at the latest', async () => {
    const lock = newLock()
    await lock.acquire()
    writeForeign(start)
    expect(lock.isOurs).toBe(true)
    clock.advance(5_000)
    await turn()
    expect([lock.isOurs, written().user]).toEqual([false, 'marie'])
  })

  it('is written again if it was deleted', async () => {
    const lock = newLock()
    await lock.acquire()
    rmSync(file)
    expect([lock.stillOurs(), written().user]).toEqual([true, expect.stringContaining('callboard a')])
  })

  it('is lost with its folder', async () => {
    const lock = newLock()
    await lock.acquire()
    rmSync(path, { recursive: true })
    expect(lock.stillOurs()).toBe(false)
    await lock.release()
  })

  it('lives on when asked after a long sleep, before anybody took it', async () => {
    const lock = newLock()
    await lock.acquire()
    clock.set(start + 3_600_000)
    expect([lock.stillOurs(), written().at]).toEqual([true, start + 3_600_000])
    expect(await newLock('b').acquire()).toBe(false)
  })
})

describe('two processes', () => {
  it('do not both have it', async () => {
    const [one, two] = await Promise.all([startLockProcess(path, start), startLockProcess(path, start)])
    expect(await one.ask('acquire')).toBe(true)
    expect([await two.ask('acquire'), await one.ask('stillOurs')]).toEqual([false, true])
    await one.ask('release')
    expect(await two.ask('acquire')).toBe(true)
  })

  it('do not both take a stale one', async () => {
    const processes = await Promise.all([1, 2, 3, 4].map(() => startLockProcess(path, start)))
    for (let round = 0; round < 10; round += 1) {
      writeForeign(start - 40_000)
      await Promise.all(processes.map((process) => process.ask('acquire')))
      const holders = await Promise.all(processes.map((process) => process.ask('stillOurs')))
      expect(holders.filter(Boolean)).toHaveLength(1)
      await Promise.all(processes.map((process) => process.ask('release')))
      expect(existsSync(file)).toBe(false)
    }
  })

  it('take it at once from one that was killed', async () => {
    const dead = await startLockProcess(path, start)
    expect(await dead.ask('acquire')).toBe(true)
    await dead.kill()
    const heir = await startLockProcess(path, start)
    expect([await heir.ask('acquire'), await heir.ask('stillOurs')]).toEqual([true, true])
  })

  it('wait for one of another machine until it is stale, for nobody sees whether that lives', async () => {
    const dead = await startLockProcess(path, start)
    await dead.ask('acquire')
    await dead.kill()
    writeFileSync(file, readFileSync(file, 'utf8').replace(hostname(), 'elsewhere'))
    expect(await (await startLockProcess(path, start + 29_000)).ask('acquire')).toBe(false)
    expect(await (await startLockProcess(path, start + 31_000)).ask('acquire')).toBe(true)
  })
})

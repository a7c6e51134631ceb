import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectionState, Worker } from '@callboard/worker'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { keepHealthFile } from '../src/health-file.js'
import { healthBeatMs } from '../src/limits.js'
import { UsageError } from '../src/usage-error.js'

let directory: string
let file: string
let say: (state: ConnectionState) => void

function keep(path = file): void {
  const onConnection = (listener: typeof say) => {
    say = listener
  }
  keepHealthFile({ onConnection } as unknown as Worker, path)
}

/** Makes the file old, as it is when nobody has written it for long. */
const growOld = () => utimesSync(file, 0, 0)
const isOld = () => statSync(file).mtimeMs === 0

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  directory = mkdtempSync(join(tmpdir(), 'cb-'))
  file = join(directory, 'healthy')
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(directory, { recursive: true, force: true })
})

it('is not there before the worker is signed in, also when another worker has left one', () => {
  writeFileSync(file, '')
  keep()
  expect(existsSync(file)).toBe(false)
})

it('is there at once when the worker is signed in, and written anew at each beat', () => {
  keep()
  say('ready')
  expect(existsSync(file)).toBe(true)
  for (const _ of [1, 2]) {
    growOld()
    vi.advanceTimersByTime(healthBeatMs - 1)
    expect(isOld()).toBe(true)
    vi.advanceTimersByTime(1)
    expect(isOld()).toBe(false)
  }
})

it.each<ConnectionState>(['lost', 'draining'])(
  'is gone while the worker is %s, and does not come back by itself',
  (state) => {
    keep()
    say('ready')
    say(state)
    expect(existsSync(file)).toBe(false)
    vi.advanceTimersByTime(10 * healthBeatMs)
    expect(existsSync(file)).toBe(false)
    say('ready')
    expect(existsSync(file)).toBe(true)
  },
)

it('beats once a beat, however often the worker has come back', () => {
  keep()
  for (const _ of [1, 2, 3]) say('ready')
  expect(vi.getTimerCount()).toBe(1)
  say('lost')
  expect(vi.getTimerCount()).toBe(0)
})

it('that somebody has removed comes back at the next beat', () => {
  keep()
  say('ready')
  rmSync(file)
  vi.advanceTimersByTime(healthBeatMs)
  expect(existsSync(file)).toBe(true)
})

it('that somebody has removed is no trouble when the worker has lost its hub', () => {
  keep()
  say('ready')
  rmSync(file)
  say('lost')
  expect(existsSync(file)).toBe(false)
})

it('that can not be written any more harms nobody: it is missing, and that is what the check sees', () => {
  keep()
  say('ready')
  rmSync(directory, { recursive: true })
  vi.advanceTimersByTime(healthBeatMs)
  expect(existsSync(file)).toBe(false)
  mkdirSync(directory)
  vi.advanceTimersByTime(healthBeatMs)
  expect(readdirSync(directory)).toEqual(['healthy'])
})

it('that can not be written at all is a mistake of whoever named it', () => {
  const missing = join(directory, 'missing', 'healthy')
  expect(() => keep(missing)).toThrow(UsageError)
  expect(() => keep(missing)).toThrow(`CALLBOARD_HEALTH_FILE: ${missing} can't be written (ENOENT).`)
  expect(() => keep(directory)).toThrow("can't be written (EISDIR)")
})

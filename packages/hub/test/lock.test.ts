import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, stat, symlink } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { LockedError, takeLock } from '../src/lock.js'
import { temporaryDirectory } from './temporary.js'

const take = (directory: string) => takeLock(`${directory}/hub.lock`)

/** Another process that takes the lock; and what came of it. */
async function holder(directory: string): Promise<{ child: ChildProcess; said: unknown }> {
  const child = fork(fileURLToPath(new URL('processes/lock-holder.mjs', import.meta.url)), [directory])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = await once(child, 'message')
  return { child, said }
}

it('a lock is taken once', async () => {
  const directory = await temporaryDirectory()
  const lock = await take(directory)
  await expect(take(directory)).rejects.toThrow(LockedError)
  await lock.release()
  await (await take(directory)).release()
})

it('a lock is that of its directory', async () => {
  await using first = await take(await temporaryDirectory())
  await using second = await take(await temporaryDirectory())
  expect(first).not.toBe(second)
})

it('a directory is the same under all of its names', async () => {
  const parent = await temporaryDirectory()
  await mkdir(`${parent}/run`)
  await symlink('run', `${parent}/alias`)
  await using _lock = await take(`${parent}/run`)
  for (const name of [`${parent}/run/`, `${parent}/./run`, `${parent}/alias`]) {
    await expect(take(name), name).rejects.toThrow(LockedError)
  }
})

it('a lock keeps out other processes, and other processes keep us out', async () => {
  const directory = await temporaryDirectory()
  const lock = await take(directory)
  expect((await holder(directory)).said).toBe('LockedError')
  await lock.release()
  expect((await holder(directory)).said).toBe('locked')
  await expect(take(directory)).rejects.toThrow(LockedError)
})

it('a name that another user could guess is of no use: it comes from what lies in the directory', async () => {
  const directory = await temporaryDirectory()
  await (await take(directory)).release()
  const { mode, size } = await stat(`${directory}/hub.lock`)
  expect([mode & 0o777, size]).toEqual([0o600, 44])
})

it('a lock is free when the process that held it is killed', async () => {
  const directory = await temporaryDirectory()
  const { child } = await holder(directory)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await (await take(directory)).release()
})

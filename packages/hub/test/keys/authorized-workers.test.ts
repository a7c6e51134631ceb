import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { AuthorizedWorkers } from '../../src/keys/authorized-workers.js'
import { temporaryDirectory } from '../temporary.js'
import { newKey } from './keys.js'

const key = newKey()
const other = newKey()

async function allowList(...lines: string[]) {
  const file = join(await temporaryDirectory(), 'authorized-workers')
  const write = (...texts: string[]) => writeFile(file, texts.map((text) => `${text}\n`).join(''), { mode: 0o600 })
  if (lines.length > 0) await write(...lines)
  const clock = { now: 0 }
  const workers = new AuthorizedWorkers(file, () => clock.now)
  onTestFinished(() => workers.close())
  const told: string[] = []
  workers.onChange(() => told.push('change'))
  workers.onProblem((problem) => told.push(problem.replaceAll(file, 'FILE')))
  return { file, write, clock, workers, told }
}

it('knows nobody without a file', async () => {
  const { workers, told } = await allowList()
  expect([workers.find(key), workers.count, told]).toEqual([undefined, 0, []])
})

it('sees at once what another program has written, and tells of it once', async () => {
  const { write, workers, told } = await allowList()
  await write(`lab ${key}`)
  expect(workers.find(key)?.name).toBe('lab')
  workers.look()
  workers.look()
  expect(told).toEqual(['change'])
  await write(`lab ${other}`)
  workers.look()
  expect([workers.find(key), workers.standing(key), workers.find(other)?.name]).toEqual([undefined, undefined, 'lab'])
  expect(told).toEqual(['change', 'change'])
})

it('knows a key until its time, and tells of its end', async () => {
  const { clock, workers, told } = await allowList(`lab ${key} expires=1970-01-01T00:00:01Z`)
  clock.now = 999
  workers.look()
  expect([workers.find(key)?.name, told]).toEqual(['lab', []])
  clock.now = 1_000
  expect([workers.find(key), workers.standing(key), workers.count]).toEqual([undefined, undefined, 0])
  workers.look()
  workers.look()
  expect(told).toEqual(['change'])
})

it('admits nobody while the list is broken, says so once, and takes nobody who is in for revoked', async () => {
  const { write, workers, told } = await allowList(`lab ${key}`)
  await write(`lab ${key}`, `more ${other} tool=a`)
  expect([workers.find(key), workers.find(other), workers.count]).toEqual([undefined, undefined, 0])
  expect(workers.standing(key)?.name).toBe('lab')
  workers.look()
  expect(told).toEqual([
    'The allow-list FILE is broken; until it is corrected it admits nobody new. Line 2: "tool" is no option (did you mean tools?): they are services, tools, resources, expires, trusted.',
  ])
  await write(`more ${other}`)
  workers.look()
  expect([workers.standing(key), workers.find(other)?.name, told.at(-1)]).toEqual([undefined, 'more', 'change'])
})

it('says at the start what is wrong', async () => {
  const { file, workers, told } = await allowList(`Lab ${key}`)
  expect([workers.find(key), workers.standing(key)]).toEqual([undefined, undefined])
  expect(told).toEqual([expect.stringContaining('Line 1: "Lab" is no name')])
  await rm(file)
  await mkdir(file)
  workers.look()
  expect(told.at(-1)).toBe('The allow-list FILE is no file: remove it; until then it admits nobody new.')
})

it('does not trust a list that others can change', async () => {
  const { file, workers, told } = await allowList(`lab ${key}`)
  await chmod(file, 0o620)
  expect(workers.find(key)).toBeUndefined()
  expect(told).toEqual([
    'The allow-list FILE can be changed by other users: run chmod 600 FILE; until then it admits nobody new.',
  ])
  await chmod(file, 0o640)
  expect(workers.find(key)?.name).toBe('lab')
})

it('shows only the first of many problems', async () => {
  const { told } = await allowList(...Array<string>(7).fill('x'))
  expect(told[0]).toMatch(/Line 1: .*Line 5: .* 2 more problems\.$/)
  expect(told[0]).not.toContain('Line 6')
})

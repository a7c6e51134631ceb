import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createQdaWorker } from '../src/create-qda-worker.js'

let dataDirectory: string

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'callboard-qda-'))
})

afterEach(() => rm(dataDirectory, { recursive: true, force: true }))

it('has a database of its own, which one process has open', async () => {
  const options = { dataDirectory, variables: { CALLBOARD_LOG_LEVEL: 'silent' } }
  const first = await createQdaWorker(options)
  await expect(createQdaWorker(options)).rejects.toMatchObject({ code: 'locked' })
  await first.close()
  await first.close()
  await (await createQdaWorker(options)).close()
})

it('leaves nothing behind where its section has a mistake', async () => {
  const options = { dataDirectory, config: { roots: ['~/x'] }, variables: {} }
  await expect(createQdaWorker(options)).rejects.toMatchObject({
    problems: ['qda.roots[0]: ~ is nowhere: HOME is not set'],
  })
  expect(existsSync(join(dataDirectory, 'qda.sqlite'))).toBe(false)
})

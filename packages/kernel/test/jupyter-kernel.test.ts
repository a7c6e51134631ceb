import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evaluate, openPool } from './support/fixture.js'
import { fakeSpec } from './support/jupyter.js'

let kernelspecDirs: readonly string[]
beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'callboard-kernelspecs-'))
  await mkdir(join(directory, 'fake'))
  await writeFile(join(directory, 'fake', 'kernel.json'), JSON.stringify({ argv: fakeSpec().argv, language: 'fake' }))
  kernelspecDirs = [directory]
})
afterAll(() => rm(kernelspecDirs[0]!, { recursive: true, force: true }))

describe('an eval with a runtime', () => {
  it('runs on the kernelspec of that name, and the next without one too', async () => {
    await using house = await openPool({ kernelspecDirs })
    const kernel = house.kernel()
    expect(await evaluate(kernel, 'value', { runtime: 'fake' })).toMatchObject({ status: 'ok', result: '2' })
    expect(await evaluate(kernel, 'write to its own descriptors')).toMatchObject({ stdout: 'own stdout\n' })
  })

  it('is the same runtime however its name is written', async () => {
    await using house = await openPool({ kernelspecDirs })
    const kernel = house.kernel()
    for (const runtime of ['Fake', 'fake', 'jupyter:FAKE']) {
      expect(await evaluate(kernel, 'value', { runtime })).toMatchObject({ status: 'ok', epoch: 1 })
    }
    await expect(evaluate(kernel, 'value', { runtime: 'jupyter:python3' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/^This kernel runs fake, not jupyter:python3/),
    })
  })

  it('that is not installed is refused, and names those that are', async () => {
    await using house = await openPool({ kernelspecDirs })
    const report = await evaluate(house.kernel(), '1', { runtime: 'fkae' })
    expect(report.failure).toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/There is no runtime "fkae".*Installed: python3, .*fake/),
    })
  })

  it('explains the death of its kernel, and starts another', async () => {
    await using house = await openPool({ kernelspecDirs })
    const kernel = house.kernel()
    const report = await evaluate(kernel, 'die after 1,000 lines', { runtime: 'fake' })
    expect(report).toMatchObject({ status: 'kernel_died', error: expect.stringMatching(/exited with code 3/) })
    expect(report.error).toContain('the last words')
    expect(await evaluate(kernel, 'value')).toMatchObject({ result: '2', epoch: 2 })
  })

  it('is stopped by its time limit', async () => {
    await using house = await openPool({ kernelspecDirs })
    const report = await evaluate(house.kernel(), 'wait for an interrupt', { runtime: 'fake', timeoutMs: 300 })
    expect(report).toMatchObject({ status: 'timeout', stdout: 'waiting\n' })
  })
})

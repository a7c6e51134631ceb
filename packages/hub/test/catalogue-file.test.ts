import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { CatalogueFile } from '../src/catalogue-file.js'
import { temporaryDirectory } from './temporary.js'

const service = (name: string) =>
  ({
    service: name,
    version: '1.0.0',
    replicas: 'many',
    affinity: 'none',
    lastSeenAt: 7,
    trusted: false,
    definitions: { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] },
  }) as const

async function catalogueFile() {
  const directory = await temporaryDirectory()
  const path = `${directory}/catalogue.json`
  const errors: unknown[] = []
  return { directory, path, errors, file: new CatalogueFile(path, (error) => errors.push(error)) }
}

describe('the kept catalogue', () => {
  it('comes back as it was kept, for its owner only', async () => {
    const { file, path, errors } = await catalogueFile()
    file.keep([service('greeter')])
    await file.flush()
    expect(await file.read()).toEqual([service('greeter')])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(errors).toEqual([])
  })

  it('is the last of several in a row', async () => {
    const { file, directory } = await catalogueFile()
    for (const name of ['one', 'two', 'three']) file.keep([service(name)])
    await file.flush()
    expect(await file.read()).toEqual([service('three')])
    expect(await readdir(directory)).toEqual(['catalogue.json'])
  })

  it('is nothing, without a word, where there is no file', async () => {
    const { file, errors } = await catalogueFile()
    expect(await file.read()).toEqual([])
    expect(errors).toEqual([])
  })

  it.each([
    ['no JSON', '{"version":1,"serv'],
    ['nothing', ''],
    ['another version', JSON.stringify({ version: 2, services: [] })],
    ['no services', JSON.stringify({ version: 1 })],
    [
      'a service of another form',
      JSON.stringify({ version: 1, services: [{ ...service('greeter'), replicas: 'three' }] }),
    ],
    [
      'definitions that are no lists',
      JSON.stringify({ version: 1, services: [{ ...service('greeter'), definitions: { tools: 5 } }] }),
    ],
  ])('is nothing, and an error is told, where the file holds %s', async (_, text) => {
    const { file, path, errors } = await catalogueFile()
    await writeFile(path, text)
    expect(await file.read()).toEqual([])
    expect(errors).toHaveLength(1)
    file.keep([service('greeter')])
    await file.flush()
    expect(await file.read()).toEqual([service('greeter')])
  })

  it('that cannot be written is told, and tried again with the next', async () => {
    const { file, path, errors } = await catalogueFile()
    await mkdir(path)
    file.keep([service('one')])
    await file.flush()
    expect(errors).toHaveLength(1)
    file.keep([service('two')])
    await file.flush()
    expect(errors).toHaveLength(2)
  })

  it('is whole on disk at every moment: written aside and moved', async () => {
    const { file, path } = await catalogueFile()
    file.keep([service('one')])
    await file.flush()
    file.keep([service('two')])
    const seen = JSON.parse(await readFile(path, 'utf8'))
    expect(seen.services).toHaveLength(1)
    await file.flush()
  })
})

import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { AllowListError, allowListIn, changeAllowList, readAllowList } from '../../src/keys/allow-list-file.js'
import { allowListBytesMax } from '../../src/keys/limits.js'
import { temporaryDirectory } from '../temporary.js'

const key = 'k'.repeat(40)
const other = 'o'.repeat(40)

let data: string
let file: string
beforeEach(async () => {
  data = await temporaryDirectory()
  file = allowListIn(data)
})

const put = (text: string, mode = 0o600) => writeFile(file, text, { mode })
const add = (text: string) => changeAllowList(file, (lines) => [...lines, { text }])

describe('the file of keys', () => {
  it('is empty where there is none', async () => {
    expect(await readAllowList(file)).toEqual({ lines: [], problems: [] })
    expect(await readAllowList(join(data, 'nowhere', 'list'))).toEqual({ lines: [], problems: [] })
  })

  it('is read with every line as it is', async () => {
    await put(`# who\nlab ${key}\n`)
    expect((await readAllowList(file)).lines.map(({ text, worker }) => [text, worker?.name])).toEqual([
      ['# who', undefined],
      [`lab ${key}`, 'lab'],
    ])
  })

  it('has 1 MiB at most', async () => {
    await put(`#${'x'.repeat(1_000)}\n`)
    await truncate(file, allowListBytesMax + 1)
    await expect(readAllowList(file)).rejects.toThrow(`has more than ${allowListBytesMax} bytes`)
  })

  it('is refused whole for a line that is wrong, says five of them, and how many more', async () => {
    await put('x\n'.repeat(5))
    await expect(readAllowList(file)).rejects.toThrow(/Line 1: .*Line 5: [^…]*(?<!more problems\.)$/)
    await put('x\n'.repeat(6))
    await expect(readAllowList(file)).rejects.toThrow(/1 more problems\.$/)
    await expect(readAllowList(file)).rejects.toThrow(AllowListError)
  })

  it('that is no file is not opened', async () => {
    await mkdir(file)
    await expect(readAllowList(file)).rejects.toThrow('is no file: remove it')
  })

  it('is changed by whoever it belongs to alone', async () => {
    await put(`lab ${key}\n`)
    await chmod(file, 0o660)
    await expect(readAllowList(file)).rejects.toThrow(`chmod 600 ${file}`)
    await expect(add(`more ${other}`)).rejects.toThrow(`chmod 600 ${file}`)
    expect(await readFile(file, 'utf8')).toBe(`lab ${key}\n`)
  })
})

describe('a change', () => {
  it('makes the file, and the directory for it, for their owner alone', async () => {
    const deep = join(data, 'a', 'b', 'list')
    await changeAllowList(deep, () => [{ text: `lab ${key}` }])
    expect(await readFile(deep, 'utf8')).toBe(`lab ${key}\n`)
    expect((await stat(deep)).mode & 0o777).toBe(0o600)
    expect((await stat(join(data, 'a'))).mode & 0o777).toBe(0o700)
    expect(await readdir(join(data, 'a', 'b'))).toEqual(['list', 'list.lock'])
  })

  it.each([
    [0o600, 0o600],
    [0o640, 0o640],
    [0o644, 0o640],
  ])('of a file of mode %o leaves one of mode %o', async (before, after) => {
    await put(`lab ${key}\n`)
    await chmod(file, before)
    await add(`more ${other}`)
    expect((await stat(file)).mode & 0o777).toBe(after)
  })

  it('that would make a list with a mistake is not made', async () => {
    await put(`lab ${key}\n`)
    await expect(add(`twice ${key}`)).rejects.toThrow('That would not do. Line 2: its key is that of line 1')
    await expect(
      changeAllowList(file, () => {
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await readFile(file, 'utf8')).toBe(`lab ${key}\n`)
    expect(await readdir(data)).toEqual(['authorized-workers', 'authorized-workers.lock'])
  })

  it('of a link changes what it leads to', async () => {
    const target = join(data, 'target')
    await writeFile(target, `lab ${key}\n`, { mode: 0o600 })
    await symlink(target, file)
    await add(`more ${other}`)
    expect(await readFile(target, 'utf8')).toBe(`lab ${key}\nmore ${other}\n`)
  })

  it('waits for those before it, and none is lost', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, index) => add(`# ${index}`)))
    expect((await readAllowList(file)).lines.map(({ text }) => text).sort()).toEqual(
      Array.from({ length: 8 }, (_, index) => `# ${index}`),
    )
  })

  it('where nothing can be written says so', async () => {
    await writeFile(join(data, 'a-file'), '')
    const nowhere = join(data, 'a-file', 'list')
    await expect(changeAllowList(nowhere, () => [])).rejects.toThrow(/list\.lock can't be made \(E\w+\)/)
  })
})

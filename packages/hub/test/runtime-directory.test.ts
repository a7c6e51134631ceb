import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { makePrivate, prepareRuntimeDirectory, runtimePaths, socketPathBytesMax } from '../src/runtime-directory.js'
import { StartError } from '../src/start-error.js'
import { temporaryDirectory } from './temporary.js'

describe('the runtime directory', () => {
  it('is made for its owner only, parents too', async () => {
    const directory = `${await temporaryDirectory()}/a/b`
    expect(await prepareRuntimeDirectory(directory)).toEqual(runtimePaths(directory))
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    expect(await prepareRuntimeDirectory(directory)).toEqual(runtimePaths(directory))
  })

  it('is refused when its sockets could not be bound: the path is too long', async () => {
    const parent = await temporaryDirectory()
    const longest = `${parent}/${'x'.repeat(socketPathBytesMax - parent.length - '//worker.sock'.length)}`
    await prepareRuntimeDirectory(longest)
    await expect(prepareRuntimeDirectory(`${longest}x`)).rejects.toThrow(/has 108 bytes and at most 107 work/)
    await expect(prepareRuntimeDirectory(`${longest.slice(0, -1)}é`)).rejects.toThrow(StartError)
  })

  it.each([0o750, 0o701, 0o777])('is refused when others may enter it (mode %o)', async (mode) => {
    const directory = await temporaryDirectory()
    await chmod(directory, mode)
    await expect(prepareRuntimeDirectory(directory)).rejects.toThrow(/chmod 700/)
  })

  it('is refused when it is a file, or a link to somewhere', async () => {
    const parent = await temporaryDirectory()
    await writeFile(`${parent}/file`, '')
    await mkdir(`${parent}/real`, { mode: 0o700 })
    await symlink('real', `${parent}/link`)
    for (const name of ['file', 'link']) {
      await expect(makePrivate(`${parent}/${name}`, 'CALLBOARD_RUNTIME'), name).rejects.toThrow(/CALLBOARD_RUNTIME/)
    }
  })

  it('is refused with what to do about it when it cannot be made', async () => {
    const parent = await temporaryDirectory()
    await writeFile(`${parent}/file`, '')
    await expect(makePrivate(`${parent}/file/run`, 'CALLBOARD_DATA')).rejects.toThrow(/ENOTDIR.*CALLBOARD_DATA/)
  })
})

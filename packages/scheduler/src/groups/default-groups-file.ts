import { randomUUID } from 'node:crypto'
import { link, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { GroupsFileError } from './groups-file.js'

const defaultFile = { groups: [{ folder: 'main', tag: 'main', name: 'Main', admin: true }] }

/** Writes the file with the one group `main`, unless another process was first. Nobody ever reads half of it. */
export async function writeDefaultGroupsFile(path: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(draft, `${JSON.stringify(defaultFile, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await link(draft, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') {
      throw new GroupsFileError(path, [`can't be written (${code ?? String(error)}): correct its path or permissions`])
    }
  } finally {
    await rm(draft, { force: true })
  }
}

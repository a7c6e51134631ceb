import { lstat, mkdir, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { GroupsFileError } from './groups-file.js'

/** Where each group's files lie: real directories side by side, so that no group reaches into another one by a link. */
export class GroupDirectories {
  readonly #root: string

  constructor(root: string) {
    this.#root = resolve(root)
  }

  /** Creates what is missing. Throws a GroupsFileError that names every folder that can't be a group's. */
  async prepare(folders: readonly string[]): Promise<void> {
    const problems: string[] = []
    for (const folder of folders) {
      const problem = await this.#prepareOne(folder)
      if (problem !== undefined) problems.push(problem)
    }
    if (problems.length > 0) throw new GroupsFileError(this.#root, problems)
  }

  /** The directory's real path. Rejects with an Error when it is missing, a link, or elsewhere. */
  async pathOf(folder: string): Promise<string> {
    const problem = await this.#problemOf(folder)
    if (problem !== undefined) throw new Error(`${this.#root}: ${problem}`)
    return join(await realpath(this.#root), folder)
  }

  async #prepareOne(folder: string): Promise<string | undefined> {
    try {
      await mkdir(this.#root, { recursive: true, mode: 0o700 })
      await mkdir(join(this.#root, folder), { mode: 0o700 })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EEXIST') return `${folder} can't be created (${code}): correct the path or its permissions`
    }
    return this.#problemOf(folder)
  }

  async #problemOf(folder: string): Promise<string | undefined> {
    const path = join(this.#root, folder)
    try {
      const entry = await lstat(path)
      if (entry.isSymbolicLink()) return `${folder} is a link: put a directory in its place`
      if (!entry.isDirectory()) return `${folder} is no directory: move it away`
      if ((await realpath(path)) === join(await realpath(this.#root), folder)) return undefined
      return `${folder} lies elsewhere: put a directory in its place`
    } catch (error) {
      return `${folder} can't be used (${(error as NodeJS.ErrnoException).code}): correct the path or its permissions`
    }
  }
}

import type { Store } from '@callboard/store'
import type { Clock } from '@callboard/worker/clock'
import type { Log } from '../log.js'
import type { SchedulerSchema } from '../records/schema.js'
import { writeDefaultGroupsFile } from './default-groups-file.js'
import type { Group, Groups } from './group.js'
import { GroupDirectories } from './group-directories.js'
import { type GroupChangeEffects, storeGroups } from './group-records.js'
import { type ExtractionCheck, GroupsFileError, readGroupsFile } from './groups-file.js'

export interface GroupRegistryOptions {
  /** The groups file; written with the one group `main` when there is none at the start. */
  readonly file: string
  /** Holds a directory for each group. */
  readonly directory: string
  readonly store: Store<SchedulerSchema>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly extractionProblem?: ExtractionCheck
}

/**
 * The groups of the file as this process has read it last. Only the file registers a group, and only as a whole: with a
 * mistake anywhere in it everything stays as it was.
 *
 * Processes on one database are meant to have one file. What the table says is what the last of them has read; it is
 * compared at the start and at each reload only, so differing files take turns by hand and never chase each other, and what
 * a removal has paused stays so.
 */
export class GroupRegistry implements Groups {
  readonly #options: GroupRegistryOptions
  readonly #directories: GroupDirectories
  #set: GroupSet
  #effects: GroupChangeEffects | undefined
  #turn: Promise<unknown> = Promise.resolve()

  /** Reads the file and makes the directories. Rejects with a GroupsFileError. Nothing is stored before {@link start}. */
  static async open(options: GroupRegistryOptions): Promise<GroupRegistry> {
    const directories = new GroupDirectories(options.directory)
    const read = async () => {
      const groups = await readGroupsFile(options.file, options.extractionProblem)
      if (groups !== undefined) await directories.prepare(groups.map(({ folder }) => folder))
      return groups
    }
    let groups = await read()
    if (groups === undefined) {
      await writeDefaultGroupsFile(options.file)
      groups = await read()
    }
    return new GroupRegistry(options, directories, groups!)
  }

  private constructor(options: GroupRegistryOptions, directories: GroupDirectories, groups: readonly Group[]) {
    this.#options = options
    this.#directories = directories
    this.#set = groupSet(groups)
  }

  get all(): readonly Group[] {
    return this.#set.all
  }

  get admin(): Group {
    return this.#set.all.find(({ isAdmin }) => isAdmin)!
  }

  byFolder(folder: string): Group | undefined {
    return this.#set.byFolder.get(folder)
  }

  byTag(tag: string): Group | undefined {
    return this.#set.byTag.get(tag.toLowerCase())
  }

  async directoryOf({ folder }: Group): Promise<string> {
    if (!this.#set.byFolder.has(folder)) throw new Error(`The group ${folder} is not registered.`)
    return this.#directories.pathOf(folder)
  }

  /** Once, before anything else is stored: brings the table in line, with all that follows for groups that are gone. */
  async start(effects: GroupChangeEffects): Promise<void> {
    this.#effects = effects
    await this.#inTurn(() => this.#store(this.#set.all))
  }

  /** Reads the file again. Never rejects: what is wrong is logged, and the groups stay as they are. */
  reload(): Promise<'changed' | 'kept'> {
    return this.#inTurn(async () => {
      try {
        const groups = await this.#readAgain()
        await this.#store(groups)
        this.#set = groupSet(groups)
        this.#options.log.info({ groups: groups.length }, 'groups file read')
        return 'changed'
      } catch (error) {
        this.#logKept(error)
        return 'kept'
      }
    })
  }

  async #readAgain(): Promise<readonly Group[]> {
    const { file, extractionProblem } = this.#options
    const groups = await readGroupsFile(file, extractionProblem)
    if (groups === undefined) throw new GroupsFileError(file, ['is not there any more: put it back'])
    await this.#directories.prepare(groups.map(({ folder }) => folder))
    return groups
  }

  async #store(groups: readonly Group[]): Promise<void> {
    if (this.#effects === undefined) throw new Error('start() comes before reload()')
    const { store, clock } = this.#options
    await storeGroups({ store, now: clock.now(), groups, effects: this.#effects })
  }

  #logKept(error: unknown): void {
    const { log, file } = this.#options
    const problems = error instanceof GroupsFileError ? error.problems : undefined
    const details = problems === undefined ? { file, err: error } : { file, problems }
    log.error(details, 'groups file not taken: the groups stay as they were')
  }

  /** One after the other: signals may come faster than files are read. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => {})
    return turn
  }
}

interface GroupSet {
  readonly all: readonly Group[]
  readonly byFolder: ReadonlyMap<string, Group>
  readonly byTag: ReadonlyMap<string, Group>
}

function groupSet(groups: readonly Group[]): GroupSet {
  return {
    all: groups,
    byFolder: new Map(groups.map((group) => [group.folder, group])),
    byTag: new Map(groups.map((group) => [group.tag, group])),
  }
}

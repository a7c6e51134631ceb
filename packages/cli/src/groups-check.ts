import { join, resolve } from 'node:path'
import { readConfigFile, sectionOf } from './config-file.js'
import type { Environment } from './environment.js'

export interface GroupsCheck {
  readonly file: string
  /** Undefined where there is no file: the scheduler makes one with the group main at its first start. */
  readonly groups: readonly ShownGroup[] | undefined
  readonly problems: readonly string[]
}

export interface ShownGroup {
  readonly folder: string
  readonly tag: string
  readonly name: string
  readonly isAdmin: boolean
  readonly runner: 'command' | 'http' | null
}

/** The groups file of the scheduler: the one that its section names, else the one in the data directory. */
export async function groupsFileOf(environment: Environment): Promise<string> {
  const section = sectionOf(await readConfigFile(environment), 'scheduler') as { groups_file?: unknown } | undefined
  const named = section?.groups_file
  const { dataDirectory } = environment
  return typeof named === 'string' && named !== '' ? resolve(dataDirectory, named) : join(dataDirectory, 'groups.json')
}

/** Every problem of the file at once. */
export async function checkGroupsFile(file: string): Promise<GroupsCheck> {
  const [{ readGroupsFile }, { extractionProblem }] = await Promise.all([
    import('@callboard/scheduler/groups-file'),
    import('@callboard/scheduler/extraction'),
  ])
  try {
    const groups = await readGroupsFile(file, extractionProblem)
    return { file, groups: groups?.map(shown), problems: [] }
  } catch (error) {
    const { problems } = error as { readonly problems?: readonly string[] }
    if (problems === undefined) throw error
    return { file, groups: undefined, problems }
  }
}

type Group = NonNullable<
  Awaited<ReturnType<typeof import('@callboard/scheduler/groups-file')['readGroupsFile']>>
>[number]

const shown = ({ folder, tag, name, isAdmin, runner }: Group): ShownGroup => ({
  folder,
  tag,
  name,
  isAdmin,
  runner: runner?.kind ?? null,
})

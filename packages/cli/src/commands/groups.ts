import { resolve } from 'node:path'
import { readEnvironment } from '../environment.js'
import { checkGroupsFile, type GroupsCheck, groupsFileOf } from '../groups-check.js'
import { exit, print, printJson } from '../output.js'
import { tableOf } from '../table.js'

/** Exits 1 when a scheduler would not take the file. */
export async function runGroupsCheck(named: string | undefined, { json }: { readonly json?: boolean }): Promise<never> {
  const file = named === undefined ? await groupsFileOf(readEnvironment()) : resolve(named)
  const check = missing(await checkGroupsFile(file), named !== undefined)
  const { groups = null, problems } = check
  if (json) printJson({ file, valid: problems.length === 0, problems, groups })
  else print(describe(check))
  return exit(problems.length === 0 ? 0 : 1)
}

/** A file that was named must be there; the scheduler makes its own. */
function missing(check: GroupsCheck, isNamed: boolean): GroupsCheck {
  if (!isNamed || check.groups !== undefined || check.problems.length > 0) return check
  return { ...check, problems: ['there is no such file'] }
}

function describe({ file, groups, problems }: GroupsCheck): string {
  if (problems.length > 0) return problems.map((problem) => `${file}: ${problem}`).join('\n')
  if (groups === undefined) return `${file} is not there: the scheduler makes it, with the group main, when it starts.`
  const rows = groups.map(({ folder, tag, isAdmin, runner, name }) => [
    folder,
    tag,
    isAdmin ? 'admin' : '-',
    runner ?? '-',
    name,
  ])
  return [`${file} is valid.`, '', ...tableOf('FOLDER TAG ADMIN RUNNER NAME', rows)].join('\n')
}

import { sectionOf } from '../config-file.js'
import type { Environment } from '../environment.js'
import { checkGroupsFile, groupsFileOf } from '../groups-check.js'

/**
 * Programs that agents steer on this machine and that could read the operator secret, as far as this installation's
 * configuration tells. Any at all: approvals are advisory, as such a program can approve.
 */
export async function readersOfSecret(environment: Environment): Promise<readonly string[]> {
  const { readWholeConfig } = await import('../load-config.js')
  const { file, workers } = await readWholeConfig(environment)
  return [
    ...(workers.includes('kernel') && !(await isKernelBoxed(sectionOf(file, 'kernel')))
      ? ['Python code in the kernel, which has no sandbox']
      : []),
    ...(workers.includes('scheduler') ? await programsOfGroups(environment) : []),
  ]
}

/** One line for whoever looks at what waits for approval; undefined where nothing of it is known to be so. */
export async function advisoryNote(environment: Environment): Promise<string | undefined> {
  const readers = await readersOfSecret(environment)
  if (readers.length === 0) return undefined
  return `Approvals are advisory here: ${readers.join(', and ')}, could read the operator secret and approve ("callboard doctor" says what helps).`
}

async function isKernelBoxed(section: unknown): Promise<boolean> {
  const { lookForSandbox } = await import('@callboard/kernel/sandbox')
  try {
    const { kind, problem } = await lookForSandbox(section)
    // Without the sandbox that it requires no code runs at all.
    return kind === 'bubblewrap' || problem !== undefined
  } catch {
    // With such a section it does not start.
    return true
  }
}

async function programsOfGroups(environment: Environment): Promise<readonly string[]> {
  const { groups = [] } = await checkGroupsFile(await groupsFileOf(environment))
  const folders = groups.filter(({ runner }) => runner === 'command').map(({ folder }) => folder)
  return folders.length === 0
    ? []
    : [`programs of the ${folders.length === 1 ? 'group' : 'groups'} ${folders.join(', ')}`]
}

import { checkGroupsFile } from '../groups-check.js'
import { type Finding, note, ok, problem } from './finding.js'

/** `hasAgents`: whether the config names any; otherwise everybody on this machine is the agent main of the group main. */
export async function checkGroups(file: string, hasAgents: boolean): Promise<Finding[]> {
  const { groups, problems } = await checkGroupsFile(file)
  if (problems.length > 0) return problems.map((each) => problem('groups', `${file}: ${each}`, 'correct it'))
  if (groups === undefined) return [ok('groups', `none yet: the scheduler makes ${file}, with the group main`)]
  const folders = groups.map(({ folder }) => folder)
  if (!hasAgents && !folders.includes('main')) {
    const remedy = 'call one main, or name agents and their groups in the config'
    return [note('groups', `none of ${file} is main, so the tools refuse every agent without a name`, remedy)]
  }
  return [ok('groups', `${folders.join(', ')}, in ${file}`)]
}

/** What of mail is set up; `section`: the scheduler's. Says names of variables, never what they hold. */
export async function checkMail(section: unknown): Promise<Finding[]> {
  const [{ parseSchedulerConfig }, { missingForMessages, missingForTriggers }] = await Promise.all([
    import('@callboard/scheduler/config'),
    import('@callboard/scheduler/mail-settings'),
  ])
  try {
    const config = parseSchedulerConfig(section)
    const triggers = config.trigger_transport === 'internal' ? [] : missingForTriggers(config)
    return [
      mail('mail out', missingForMessages(config), 'messages to people are held'),
      mail('mail triggers', triggers, 'trigger_email is refused'),
    ]
  } catch {
    // What is wrong with the section is said elsewhere.
    return []
  }
}

function mail(check: string, missing: readonly string[], consequence: string): Finding {
  if (missing.length === 0) return ok(check, 'configured')
  const verb = missing.length === 1 ? 'is' : 'are'
  return note(
    check,
    `${consequence}: ${missing.join(', ')} ${verb} not set`,
    `set ${missing.length === 1 ? 'it' : 'them'}, or the keys of the same names in the section "scheduler" of the config file`,
  )
}

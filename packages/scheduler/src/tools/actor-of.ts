import type { Context } from '@callboard/worker'
import type { Group, Groups } from '../groups/group.js'
import { refusal } from '../refusal.js'
import type { Actor } from './actor.js'

type Caller = Context['caller']

/**
 * Who the hub says that calls; nothing else makes anybody anything. Throws a ToolError FORBIDDEN for a caller without a
 * registered group, but for operators: they act in the admin group.
 */
export function actorOf(caller: Caller, groups: Groups): Actor {
  const isOperator = caller.roles.includes('operator')
  const group = groupOf(caller, isOperator, groups)
  return {
    principal: caller.onBehalfOf ?? caller.principal,
    group,
    isAdmin: group.isAdmin,
    isOperator,
    ...(caller.run !== undefined && { run: { id: caller.run.id, attempt: caller.run.attempt } }),
    triggerDepth: caller.run?.triggerDepth ?? 0,
  }
}

function groupOf({ group: folder }: Caller, isOperator: boolean, groups: Groups): Group {
  if (folder === undefined && isOperator) return groups.admin
  if (folder === undefined) {
    throw refusal('FORBIDDEN', 'This agent has no group, and only groups may do this.', {
      hint: 'Let an operator make it a token with one: callboard token new NAME --group FOLDER.',
    })
  }
  const group = groups.byFolder(folder)
  if (group !== undefined) return group
  throw refusal('FORBIDDEN', `The group of this agent, ${folder}, is not registered.`, {
    hint: 'Let an operator add it to the groups file and reload it (SIGHUP), or give the agent another group.',
  })
}

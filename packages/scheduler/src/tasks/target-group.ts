import type { Group, Groups } from '../groups/group.js'
import { refusal } from '../refusal.js'
import type { Actor } from '../tools/actor.js'

const addressPrefix = 'email:tag:'

/**
 * The group that a task is for, given as folder, tag or `email:tag:<tag>`; absent: the caller's. Throws FORBIDDEN for whatever
 * is not the caller's own, unless it is an admin, so that nobody learns which groups exist; NOT_FOUND.
 */
export function targetGroup(target: string | undefined, actor: Actor, groups: Groups): Group {
  if (target === undefined) return actor.group
  const group = named(target.toLowerCase(), groups)
  if (group !== undefined && (actor.isAdmin || group.folder === actor.group.folder)) return group
  if (!actor.isAdmin) {
    throw refusal('FORBIDDEN', 'Only the admin group schedules tasks for another group.', {
      hint: `Leave target_chat_id out to schedule for your own group, ${actor.group.folder}; use trigger_email to reach another.`,
    })
  }
  throw refusal('NOT_FOUND', `No group is registered as ${JSON.stringify(target)}.`, {
    hint: `Groups: ${groups.all.map(({ folder, tag }) => (folder === tag ? folder : `${folder} (tag ${tag})`)).join(', ')}.`,
  })
}

function named(target: string, groups: Groups): Group | undefined {
  if (target.startsWith(addressPrefix)) return groups.byTag(target.slice(addressPrefix.length))
  return groups.byFolder(target) ?? groups.byTag(target)
}

import { localUsersMax } from './limits.js'

const key = 'CALLBOARD_WORKER_USERS'

/** Reads the ids of users whose processes may be workers here, beside the hub's own user and root; commas between. */
export function localUsers(list: string | undefined, problems: string[]): readonly number[] {
  const entries = (list ?? '').split(',').map((each) => each.trim())
  const given = [...new Set(entries)].filter((each) => each !== '')
  const wrong = given.filter((each) => !/^\d{1,10}$/.test(each))
  if (wrong.length > 0) {
    problems.push(`${key}: ${JSON.stringify(wrong[0]!.slice(0, 100))} is no user id: write numbers, like 1001,1002.`)
  }
  if (given.length > localUsersMax) problems.push(`${key}: has ${given.length} users: ${localUsersMax} at most.`)
  return wrong.length > 0 ? [] : given.slice(0, localUsersMax).map(Number)
}

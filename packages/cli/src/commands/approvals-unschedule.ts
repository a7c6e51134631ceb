import { askSocial } from '../approvals/ask-social.js'
import { readEnvironment } from '../environment.js'
import { exit, print } from '../output.js'

export async function runApprovalsUnschedule(id: number): Promise<never> {
  const { data } = await askSocial<{ readonly status: string }>(readEnvironment(), 'unschedule_item', { id })
  print(`Item ${id} is ${data.status} again and waits for approval, see "callboard approvals".`)
  return exit(0)
}

import { askSocial } from '../approvals/ask-social.js'
import { readEnvironment } from '../environment.js'
import { exit, print } from '../output.js'

export async function runApprovalsRetry(id: number): Promise<never> {
  const { data } = await askSocial<{ readonly status: string }>(readEnvironment(), 'retry_item', { id })
  print(`Item ${id} is ${data.status} again: it goes out by itself, and what is out already is not sent twice.`)
  return exit(0)
}

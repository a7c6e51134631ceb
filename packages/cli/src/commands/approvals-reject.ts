import { askSocial } from '../approvals/ask-social.js'
import { readEnvironment } from '../environment.js'
import { exit, print } from '../output.js'

export async function runApprovalsReject(id: number, { reason }: { readonly reason?: string }): Promise<never> {
  await askSocial(readEnvironment(), 'reject_item', { id, ...(reason !== undefined && { reason }) })
  print(`Rejected item ${id}.`)
  return exit(0)
}

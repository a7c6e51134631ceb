import { askSocial } from '../approvals/ask-social.js'
import { readEnvironment } from '../environment.js'
import { exit, print } from '../output.js'
import { UsageError } from '../usage-error.js'

/** What reject_item takes. */
const reasonLengthMax = 500

export async function runApprovalsReject(id: number, { reason }: { readonly reason?: string }): Promise<never> {
  if (reason !== undefined && reason.length > reasonLengthMax) {
    throw new UsageError(`--reason must have at most ${reasonLengthMax} characters.`)
  }
  await askSocial(readEnvironment(), 'reject_item', { id, ...(reason !== undefined && { reason }) })
  print(`Rejected item ${id}.`)
  return exit(0)
}

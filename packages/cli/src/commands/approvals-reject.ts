import type { ApprovalId } from '../approvals/approval-id.js'
import { askQda } from '../approvals/ask-qda.js'
import { askSocial } from '../approvals/ask-social.js'
import { findSuggestion } from '../approvals/suggestions.js'
import { readEnvironment } from '../environment.js'
import { exit, print } from '../output.js'
import { UsageError } from '../usage-error.js'

/** What both workers take. */
const reasonLengthMax = 500

export async function runApprovalsReject(id: ApprovalId, { reason }: { readonly reason?: string }): Promise<never> {
  if (reason !== undefined && reason.length > reasonLengthMax) {
    throw new UsageError(`--reason must have at most ${reasonLengthMax} characters.`)
  }
  if (typeof id === 'string') return rejectSuggestion(id, reason)
  await askSocial(readEnvironment(), 'reject_item', { id, ...(reason !== undefined && { reason }) })
  print(`Rejected item ${id}.`)
  return exit(0)
}

async function rejectSuggestion(beginning: string, reason: string | undefined): Promise<never> {
  if (reason === undefined || reason.trim() === '') {
    throw new UsageError('Say why with --reason: whoever suggested it reads that.')
  }
  const environment = readEnvironment()
  const { id } = await findSuggestion(environment, beginning)
  await askQda(environment, 'reject_suggestion', { id, reason })
  print(`Rejected suggestion ${id}.`)
  return exit(0)
}

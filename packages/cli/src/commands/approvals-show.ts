import { advisoryNote } from '../approvals/advisory.js'
import type { ApprovalId } from '../approvals/approval-id.js'
import { askSocial } from '../approvals/ask-social.js'
import { describeItem } from '../approvals/describe-item.js'
import { describeSuggestion } from '../approvals/describe-suggestion.js'
import type { Item } from '../approvals/items.js'
import { findSuggestion } from '../approvals/suggestions.js'
import { type Environment, readEnvironment } from '../environment.js'
import { exit, print, printJson } from '../output.js'

export async function runApprovalsShow(id: ApprovalId, { json }: { readonly json?: boolean }): Promise<never> {
  const environment = readEnvironment()
  const { value, description } = await find(environment, id)
  if (json) {
    printJson(value)
    return exit(0)
  }
  print(description)
  const note = value.status === 'pending' ? await advisoryNote(environment) : undefined
  if (note !== undefined) print(`\n${note}`)
  return exit(0)
}

interface Found {
  readonly value: { readonly status: string }
  readonly description: string
}

async function find(environment: Environment, id: ApprovalId): Promise<Found> {
  if (typeof id === 'string') {
    const value = await findSuggestion(environment, id)
    return { value, description: describeSuggestion(value, Date.now()) }
  }
  const { data: value } = await askSocial<Item>(environment, 'get_item', { id })
  return { value, description: describeItem(value, Date.now()) }
}

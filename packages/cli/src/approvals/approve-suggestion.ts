import type { Environment } from '../environment.js'
import { complain, print } from '../output.js'
import { CommandError } from '../usage-error.js'
import { askQda, QdaRefusal } from './ask-qda.js'
import { confirmed } from './confirm.js'
import { describeSuggestion } from './describe-suggestion.js'
import { findSuggestion, type Suggestion } from './suggestions.js'

export interface SuggestionApproval {
  readonly yes: boolean
  readonly asAttributes: boolean
}

/** Shows it and asks; tells whether it is approved. What goes wrong with this one is said, and keeps no other. */
export async function approveSuggestion(
  environment: Environment,
  beginning: string,
  approval: SuggestionApproval,
): Promise<boolean> {
  const suggestion = await shownSuggestion(environment, beginning)
  return suggestion !== undefined && (await approve(environment, suggestion, approval))
}

async function approve(
  environment: Environment,
  { id }: Suggestion,
  { yes, asAttributes }: SuggestionApproval,
): Promise<boolean> {
  if (!(await confirmed(`Approve suggestion ${id}?`, yes))) {
    print(`Suggestion ${id} was not approved.`)
    return false
  }
  try {
    const asked = { id, ...(asAttributes && { as_attributes: true }) }
    const { status } = await askQda<{ readonly status: string }>(environment, 'approve_suggestion', asked)
    if (status === 'approved') {
      print(`Approved suggestion ${id}: it is done.`)
      return true
    }
    complain(`callboard: Suggestion ${id} is ${status}: what it is about has changed, so nothing was done.`)
  } catch (error) {
    if (!(error instanceof QdaRefusal)) throw error
    complain(`callboard: Suggestion ${id} was not approved. ${error.message}`)
  }
  return false
}

/** Undefined when there is nothing to decide; then that is said. */
async function shownSuggestion(environment: Environment, beginning: string): Promise<Suggestion | undefined> {
  try {
    const suggestion = await findSuggestion(environment, beginning)
    print(`${describeSuggestion(suggestion, Date.now())}\n`)
    if (suggestion.status === 'pending') return suggestion
    const { id, status } = suggestion
    complain(`callboard: Suggestion ${id} is ${status}: only what is pending can be approved.`)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    complain(`callboard: ${error.message}`)
  }
  return undefined
}

import type { ApprovalId } from '../approvals/approval-id.js'
import { approveSuggestion } from '../approvals/approve-suggestion.js'
import { askSocial, SocialRefusal } from '../approvals/ask-social.js'
import { confirmed, requireSomebody } from '../approvals/confirm.js'
import { describeItem } from '../approvals/describe-item.js'
import type { Item, PendingItem, Shown } from '../approvals/items.js'
import { type Environment, readEnvironment } from '../environment.js'
import { complain, exit, print } from '../output.js'
import { UsageError } from '../usage-error.js'

export interface ApprovalsApproveOptions {
  readonly yes?: boolean
  readonly all?: boolean
  /** With `all`. */
  readonly max?: number
  readonly network?: string
  /** Of suggestions of metadata. */
  readonly asAttributes?: boolean
}

const maxDefault = 10
/** What approve_all takes at most. */
const maxMax = 50

/** Exits 0 when all that was named, or shown, is approved. */
export async function runApprovalsApprove(
  ids: readonly ApprovalId[],
  { yes = false, all = false, max, network, asAttributes = false }: ApprovalsApproveOptions,
): Promise<never> {
  if (all === ids.length > 0)
    throw new UsageError('Name the items to approve, or say --all: see "callboard approvals".')
  if (!all && (max !== undefined || network !== undefined)) throw new UsageError('--max and --network go with --all.')
  if (asAttributes && !ids.some((id) => typeof id === 'string')) {
    throw new UsageError('--as-attributes goes with suggestions.')
  }
  if (max !== undefined && (!Number.isInteger(max) || max > maxMax)) {
    throw new UsageError(`--max must be a whole number from 1 to ${maxMax}.`)
  }
  requireSomebody(yes)
  const environment = readEnvironment()
  const isDone = all
    ? await approveAll(environment, yes, max ?? maxDefault, network)
    : await approveEach(environment, ids, yes, asAttributes)
  return exit(isDone ? 0 : 1)
}

/** One after the other, with a question for each; what goes wrong with one does not keep the others. */
async function approveEach(
  environment: Environment,
  ids: readonly ApprovalId[],
  yes: boolean,
  asAttributes: boolean,
): Promise<boolean> {
  let isDone = true
  for (const id of ids) {
    const isApproved =
      typeof id === 'string'
        ? await approveSuggestion(environment, id, { yes, asAttributes })
        : await approveItem(environment, id, yes)
    if (!isApproved) isDone = false
  }
  return isDone
}

async function approveItem(environment: Environment, id: number, yes: boolean): Promise<boolean> {
  const item = await shownItem(environment, id)
  return item !== undefined && (await approveOne(environment, item, yes))
}

async function approveOne(environment: Environment, item: Item, yes: boolean): Promise<boolean> {
  if (!(await confirmed(`Approve item ${item.id}?`, yes))) {
    print(`Item ${item.id} was not approved.`)
    return false
  }
  try {
    await askSocial(environment, 'approve_item', seen(item))
  } catch (error) {
    if (!(error instanceof SocialRefusal)) throw error
    complain(`callboard: ${whyNot(item.id, error)}`)
    return false
  }
  print(`Approved item ${item.id}: it goes out by itself, see "callboard approvals outbox".`)
  return true
}

/** What the person saw, and nothing else, is what is approved. */
const seen = ({ id, rev, content_hash }: Shown): Shown => ({ id, rev, content_hash })

/** Undefined when there is nothing to decide; then that is said. */
async function shownItem(environment: Environment, id: number): Promise<Item | undefined> {
  try {
    const { data: item } = await askSocial<Item>(environment, 'get_item', { id })
    print(`${describeItem(item, Date.now())}\n`)
    if (item.status === 'pending') return item
    complain(`callboard: Item ${id} is ${item.status}: only what is pending can be approved.`)
  } catch (error) {
    if (!(error instanceof SocialRefusal)) throw error
    complain(`callboard: Item ${id}: ${error.message}`)
  }
  return undefined
}

function whyNot(id: number, { code, message }: SocialRefusal): string {
  return code === 'conflict'
    ? `Item ${id} changed meanwhile, so nothing of it was approved: look at it again. ${message}`
    : `Item ${id} was not approved. ${message}`
}

async function approveAll(
  environment: Environment,
  yes: boolean,
  max: number,
  network: string | undefined,
): Promise<boolean> {
  const asked = { limit: max, ...(network !== undefined && { network }) }
  const { data: pending, meta } = await askSocial<readonly PendingItem[]>(environment, 'list_pending_approvals', asked)
  const items: Item[] = []
  for (const { id } of pending) {
    const item = await shownItem(environment, id)
    if (item !== undefined) items.push(item)
  }
  if (items.length === 0) {
    print('Nothing waits for approval.')
    return true
  }
  if (meta.pagination?.has_more === true) print(`More wait than these; --max shows up to ${maxMax}.`)
  if (!(await confirmed(`Approve ${items.length === 1 ? 'this item' : `these ${items.length} items`}?`, yes))) {
    print('Nothing was approved.')
    return false
  }
  return reportAll(environment, items)
}

interface Approved {
  readonly approved: number
  readonly errors: number
  readonly items: readonly { readonly id: number; readonly outcome: string; readonly code?: string }[]
}

async function reportAll(environment: Environment, items: readonly Item[]): Promise<boolean> {
  const args = { max: items.length, items: items.map(seen) }
  const { data } = await askSocial<Approved>(environment, 'approve_all', args)
  for (const { id, outcome, code } of data.items) {
    if (code === undefined) print(`Item ${id}: ${outcome}`)
    else if (code === 'conflict') complain(`callboard: Item ${id} changed meanwhile: look at it again (conflict).`)
    else complain(`callboard: Item ${id}: ${outcome} (${code})`)
  }
  print(`Approved ${data.approved} of ${items.length}.`)
  return data.errors === 0 && data.approved === items.length
}

import { askSocial } from '../approvals/ask-social.js'
import { readEnvironment } from '../environment.js'
import { exit, print } from '../output.js'
import { UsageError } from '../usage-error.js'

export interface ApprovalsResolveOptions {
  readonly posted?: boolean
  readonly failed?: boolean
}

/** For an item of which the worker can't find out whether it is public. */
export async function runApprovalsResolve(id: number, options: ApprovalsResolveOptions): Promise<never> {
  const { posted = false, failed = false } = options
  if (posted === failed) {
    throw new UsageError(
      'Look whether the post is there, then say --posted or --failed: the worker takes your word for it.',
    )
  }
  const outcome = posted ? 'posted' : 'failed'
  const { data } = await askSocial<{ readonly status: string }>(readEnvironment(), 'resolve_item', { id, outcome })
  print(`Item ${id} is ${data.status} now.`)
  return exit(0)
}

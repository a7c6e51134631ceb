import { CallFailure, type Context, type ToolError, type ToolResult } from '@callboard/worker'
import { z } from 'zod'
import { type RefusalCode, type RefusalDetails, refusal } from '../refusal.js'
import type { Platform, SocialPost } from './social-post.js'

/** As the social worker has it. */
export interface Item {
  readonly id: ItemId
  readonly status: ItemStatus
  readonly account: string | null
  readonly permalink?: string
  readonly reason?: string
}

export type ItemId = z.output<typeof itemId>
export type ItemStatus = z.output<typeof itemStatus>

export const itemId = z.union([z.int().min(1), z.string().min(1).max(128)])

export const itemStatus = z.enum([
  'draft',
  'pending',
  'approved',
  'scheduled',
  'publishing',
  'posted',
  'failed',
  'unknown',
  'rejected',
  'withdrawn',
  'expired',
])

const proposed = z.object({ id: itemId, status: itemStatus, replayed: z.boolean().default(false) })

const maybeText = z.string().min(1).max(2_048).nullish().catch(undefined)

const item = z.object({
  id: itemId,
  status: itemStatus,
  account: maybeText,
  reason: maybeText,
  outbox: z
    .object({
      last_error: maybeText,
      parts: z
        .array(z.object({ url: maybeText }))
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
})

const capabilities = z.object({
  networks: z.array(z.union([z.string(), z.object({ network: z.string() }), z.object({ name: z.string() })])),
})

const envelope = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), data: z.unknown() }),
  z.object({
    success: z.literal(false),
    error: z.object({ code: z.string(), message: z.string(), retry_after_ms: z.number().min(0).nullish() }),
  }),
])

/** The social worker's tools, called as part of an agent's own call. Failures are refusals. */
export class SocialWorker {
  readonly #postTool: string
  readonly #context: Pick<Context, 'call' | 'signal'>

  constructor(postTool: string, context: Pick<Context, 'call' | 'signal'>) {
    this.#postTool = postTool
    this.#context = context
  }

  /** Under one key there is one item, however often it is proposed. */
  async propose(network: string, post: SocialPost, key: string): Promise<z.output<typeof proposed>> {
    const { text, url } = post
    const target = url === undefined ? { kind: 'tweet' } : { kind: 'reply', reply_to: url }
    const args = { parts: [text], ...target, network, idempotency_key: key }
    return this.#ask(this.#postTool, args, proposed, key)
  }

  async item(id: ItemId): Promise<Item> {
    const { account, reason, outbox, ...found } = await this.#ask('get_item', { id }, item)
    const permalink = outbox?.parts?.[0]?.url
    const why = reason ?? outbox?.last_error
    return { ...found, account: account ?? null, ...(permalink && { permalink }), ...(why && { reason: why }) }
  }

  /** Throws UNSUPPORTED for a platform that it does not say it has. */
  async networkOf(platform: Platform): Promise<string> {
    if (platform === 'twitter') return 'x'
    const listed = await this.#networks()
    if (listed.includes(platform)) return platform
    throw refusal('UNSUPPORTED', `Nothing was posted: ${platform} is not among the networks that can be posted to.`, {
      hint: 'Give the text to a person, by send_message with priority "notify", to post it by hand.',
    })
  }

  /** None when it can not be asked: then nothing is known to be possible. */
  async #networks(): Promise<readonly string[]> {
    try {
      const { networks } = await this.#ask('get_capabilities', {}, capabilities)
      return networks.map((each) => (typeof each === 'string' ? each : 'network' in each ? each.network : each.name))
    } catch {
      this.#context.signal.throwIfAborted()
      return []
    }
  }

  async #ask<Answer>(
    tool: string,
    args: { readonly [key: string]: unknown },
    schema: z.ZodType<Answer>,
    idempotencyKey?: string,
  ): Promise<Answer> {
    const { signal } = this.#context
    const options = { signal, ...(idempotencyKey !== undefined && { idempotencyKey }) }
    const result = await this.#context.call(tool, args, options).catch((error) => {
      signal.throwIfAborted()
      throw error instanceof CallFailure ? refusalOfCall(error) : error
    })
    const answer = envelope.safeParse(answerIn(result))
    if (answer.data?.success === false) throw refusalOfWorker(answer.data.error)
    const data = schema.safeParse(answer.data?.data)
    if (data.success) return data.data
    throw refusal('UPSTREAM_ERROR', `The answer of ${tool} is not what a social worker answers.`)
  }
}

function answerIn({ structuredContent, content }: ToolResult): unknown {
  if (structuredContent !== undefined) return structuredContent
  const [first] = content
  try {
    return first?.type === 'text' ? JSON.parse(first.text) : undefined
  } catch {
    return undefined
  }
}

function refusalOfCall({ code, message, retryAfterMs }: CallFailure): ToolError {
  const when = retryAfterMs === undefined ? {} : { retryAfterMs }
  switch (code) {
    case 'not_found':
    case 'unavailable':
      return refusal('NOT_CONFIGURED', 'Nothing was posted: no social worker is signed in at the hub.', {
        hint: 'Ask the operator to start the social worker.',
      })
    case 'depth_exceeded':
      return refusal('DEPTH_LIMIT', `Nothing was posted: ${message}`)
    case 'forbidden':
      return refusal('FORBIDDEN', `Nothing was posted: ${message}`)
    case 'deadline_exceeded':
      return refusal('TIMEOUT', 'The social worker did not answer in time. The same call again finds what it did.')
    case 'overloaded':
      return refusal('RATE_LIMITED', `Nothing was posted: ${message}`, when)
    default:
      return refusal('UPSTREAM_ERROR', `The social worker could not be asked: ${message}`, when)
  }
}

/** Its codes, in this worker's words. */
function refusalOfWorker(error: {
  readonly code: string
  readonly message: string
  readonly retry_after_ms?: number | null | undefined
}): ToolError {
  const { code, message, retry_after_ms: retryAfterMs } = error
  const details: RefusalDetails = { social_code: code, ...(typeof retryAfterMs === 'number' && { retryAfterMs }) }
  return refusal(refusalCodes[code] ?? 'UPSTREAM_ERROR', `Nothing was posted: ${message}`, details)
}

const refusalCodes: { readonly [code: string]: RefusalCode } = {
  validation_error: 'INVALID_ARGUMENT',
  tweet_too_long: 'INVALID_ARGUMENT',
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
  duplicate_content: 'CONFLICT',
  expired: 'CONFLICT',
  policy_error: 'FORBIDDEN',
  policy_denied_blocked: 'FORBIDDEN',
  policy_denied_hard_rule: 'FORBIDDEN',
  policy_denied_user_rule: 'FORBIDDEN',
  reply_not_allowed: 'FORBIDDEN',
  network_forbidden: 'FORBIDDEN',
  network_account_restricted: 'FORBIDDEN',
  policy_denied_rate_limited: 'RATE_LIMITED',
  rate_limited: 'RATE_LIMITED',
  network_rate_limited: 'RATE_LIMITED',
  network_not_configured: 'NOT_CONFIGURED',
  network_auth_expired: 'NOT_CONFIGURED',
  capability_missing: 'UNSUPPORTED',
}

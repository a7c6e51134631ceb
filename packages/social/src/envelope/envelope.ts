import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { type ErrorCode, errorCodes } from './error-codes.js'
import type { SocialFailure } from './failure.js'

/** Version of the reply's shape, in every `meta`. */
const envelopeVersion = '1.0'

export interface Pagination {
  readonly next_token?: string
  readonly result_count: number
  readonly has_more: boolean
}

/** How what was done can be undone, and by which call. */
export interface Rollback {
  readonly reversible: boolean
  readonly undo_tool?: string
  readonly undo_params?: { readonly [key: string]: unknown }
  readonly note?: string
}

/** What a tool may add to its reply's `meta`. */
export interface ExtraMeta {
  readonly pagination?: Pagination
  readonly retry_count?: number
  /** `local` wherever the built-in network is meant. */
  readonly provider_backend?: string
  readonly rollback?: Rollback
}

/** What is true of all replies at a time. */
export interface Standing {
  readonly mode: 'autopilot' | 'composer'
  /** Whether a person has to approve: the effective flag. */
  readonly approval_mode: boolean
}

export interface Envelope {
  readonly success: boolean
  readonly data: unknown
  readonly error?: EnvelopeError
  readonly meta: Standing &
    ExtraMeta & { readonly tool_version: '1.0'; readonly elapsed_ms: number; readonly correlation_id?: string }
}

interface EnvelopeError {
  readonly code: ErrorCode
  readonly message: string
  readonly retryable: boolean
  readonly rate_limit_reset?: string
  readonly retry_after_ms?: number
  readonly policy_decision?: 'denied' | 'routed_to_approval'
  readonly details?: { readonly [key: string]: unknown }
}

interface MetaParts {
  readonly standing: Standing
  readonly elapsedMs: number
  readonly correlationId: string
}

export function success(data: unknown, meta: MetaParts, extra: ExtraMeta = {}): Envelope {
  return { success: true, data, meta: { ...metaOf(meta), ...extra } }
}

/** Keys without a value are left out, never null. */
export function failed(error: SocialFailure, meta: MetaParts, extra: ExtraMeta = {}): Envelope {
  const { code, message, retryable, options } = error
  const { rateLimitReset, retryAfterMs, policyDecision, details } = options
  return {
    success: false,
    data: null,
    error: {
      code,
      message,
      retryable,
      ...(rateLimitReset !== undefined && { rate_limit_reset: utcText(rateLimitReset) }),
      ...(retryAfterMs !== undefined && { retry_after_ms: Math.max(0, Math.ceil(retryAfterMs)) }),
      ...(policyDecision !== undefined && { policy_decision: policyDecision }),
      ...(details !== undefined && { details }),
    },
    meta: { ...metaOf(meta), ...extra },
  }
}

function metaOf({ standing, elapsedMs, correlationId }: MetaParts) {
  const { mode, approval_mode } = standing
  return {
    tool_version: envelopeVersion,
    elapsed_ms: Math.max(0, Math.round(elapsedMs)),
    mode,
    approval_mode,
    correlation_id: correlationId,
  } as const
}

/** The reply of a tool with that payload; also of its failures: clients check both against it. */
export function envelopeOf<Data extends z.ZodType>(data: Data) {
  return z.strictObject({
    success: z.boolean().describe('Whether the call succeeded; its presence marks an envelope'),
    data: data.nullable(),
    error: errorSchema.exactOptional(),
    meta: metaSchema,
  })
}

const errorSchema = z.strictObject({
  code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  retryable: z.boolean().describe('Whether the same call, unchanged, is safe and may succeed later'),
  rate_limit_reset: z.string().exactOptional(),
  retry_after_ms: z.int().min(0).exactOptional(),
  policy_decision: z.enum(['denied', 'routed_to_approval']).exactOptional(),
  details: z.record(z.string(), z.unknown()).exactOptional(),
})

const metaSchema = z.strictObject({
  tool_version: z.literal(envelopeVersion),
  elapsed_ms: z.int().min(0),
  mode: z.enum(['autopilot', 'composer']),
  approval_mode: z.boolean(),
  correlation_id: z.uuid().exactOptional(),
  pagination: z
    .strictObject({ next_token: z.string().exactOptional(), result_count: z.int(), has_more: z.boolean() })
    .exactOptional(),
  retry_count: z.int().min(0).exactOptional(),
  provider_backend: z.string().exactOptional(),
  rollback: z
    .strictObject({
      reversible: z.boolean(),
      undo_tool: z.string().exactOptional(),
      undo_params: z.record(z.string(), z.unknown()).exactOptional(),
      note: z.string().exactOptional(),
    })
    .exactOptional(),
})

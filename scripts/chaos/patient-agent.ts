import type { RawAnswer } from '@callboard/testkit'

/** How an agent comes to the hub. */
export const ways = [
  'http_legacy',
  'http_modern',
  'facade',
  'stdio_legacy',
  'stdio_modern',
  'socket_legacy',
  'socket_modern',
] as const
export type Way = (typeof ways)[number]

/** One that stays when its hub goes: nobody connects it again, or opens it anew. */
export interface PatientAgent extends AsyncDisposable {
  readonly way: Way
  /** False while it has no way to ask at all, and knows it. */
  readonly canAsk: boolean
  /** Answers that came for what was answered before. */
  readonly doubleAnswers: number
  /** Never rejects: `code` says what the agent saw in place of an answer. */
  ask(tool: string, args: { readonly [key: string]: unknown }): Promise<Reply>
}

export type Reply =
  | { readonly kind: 'answer'; readonly answer: RawAnswer }
  | { readonly kind: 'failure'; readonly code: string; readonly message: string }

/** What clients throw: the hub's own code, else HTTP's, else that the way to the hub was lost. */
export function failureOf(thrown: unknown): Reply {
  const { code, data, status, message } = thrown as {
    readonly code?: unknown
    readonly status?: unknown
    readonly data?: { readonly code?: unknown; readonly status?: unknown }
    readonly message?: unknown
  }
  const failure = (name: string): Reply => ({ kind: 'failure', code: name, message: String(message).slice(0, 120) })
  if (typeof data?.code === 'string') return failure(data.code)
  const number = [status, data?.status, code].find((each) => typeof each === 'number' && each >= 400 && each < 600)
  if (number !== undefined) return failure(`http_${number}`)
  if (code === -32001 || code === 'REQUEST_TIMEOUT') return failure('no_answer')
  return failure('lost')
}

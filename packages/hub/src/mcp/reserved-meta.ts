import { isRecord } from './json-rpc.js'

type Json = { readonly [key: string]: unknown }

export const idempotencyKeyMeta = 'callboard/idempotencyKey'
export const sessionMeta = 'callboard/session'
export const errorMeta = 'callboard/error'

/** Callboard's own keys are the hub's to set: what a client writes there must not reach a worker as if the hub had said it. */
export function withoutClientForgery<T extends Json>(params: T): T {
  return filtered(params, (key) => isOurs(key) && key !== idempotencyKeyMeta && key !== sessionMeta)
}

/**
 * Nor may a worker speak for the hub or for the protocol: of a subscription, of who serves, of what the hub found.
 * `mayFail`: what went wrong is its own word, in a result that says that something did.
 */
export function withoutWorkerForgery<T extends Json>(message: T, mayFail = false): T {
  return filtered(message, (key) => isProtocols(key) || (isOurs(key) && !(mayFail && key === errorMeta)))
}

const isOurs = (key: string): boolean => key.startsWith('callboard/')
const isProtocols = (key: string): boolean => key.startsWith('io.modelcontextprotocol/')

/** The same object when there is nothing to leave out. */
function filtered<T extends Json>(message: T, isReserved: (key: string) => boolean): T {
  const meta = message['_meta']
  if (!isRecord(meta) || !Object.keys(meta).some(isReserved)) return message
  const { _meta: _, ...rest } = message
  const kept = Object.entries(meta).filter(([key]) => !isReserved(key))
  return { ...rest, ...(kept.length > 0 && { _meta: Object.fromEntries(kept) }) } as unknown as T
}

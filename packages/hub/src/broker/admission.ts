import { isUtf8 } from 'node:buffer'
import { deadlineMsMax, type RoutingFailure } from '@callboard/protocol'
import { judgedBytesMax, judgedDepthMax } from '../policy/limits.js'
import type { Policy } from '../policy/policy.js'
import type { Decision, RateLimit } from '../policy/rule.js'
import { type Definition, isDeeper, isObject, parseJson } from './definition.js'
import type { CallWish } from './events.js'
import { type BrokerState, failure } from './state.js'
import type { Viewer } from './viewer-lists.js'

type Wish = Pick<CallWish, 'method' | 'name' | 'body'>

interface Request<W extends Wish> {
  /** It exists for the caller. */
  readonly definition: Definition
  readonly wish: W
  /** Of a worker's call, as whom it is judged. */
  readonly caller: Viewer
}

/**
 * Whether what exists for somebody may be used by it now: why not, or the call as it goes on. A call whose arguments were looked
 * into goes on as they were read: what a worker would read otherwise, such as one of two equal keys, does not reach it.
 */
export function admit<W extends Wish>(
  state: BrokerState,
  policy: Policy,
  { definition, wish, caller }: Request<W>,
): RoutingFailure | W {
  const uri = wish.method === 'resources/read' ? wish.name : undefined
  const decision = policy.decide(caller, definition, uri)
  if (decision.effect !== 'call') return refuse(state, 'not_callable', notCallable(definition))
  // It comes with every letter that a person types, and does nothing.
  if (wish.method === 'completion/complete') return wish
  const waitMs = decision.rate && state.rates.take(decision.rate, whoseCalls(decision.rate, caller), state.now)
  if (waitMs !== undefined) return refuse(state, 'rate_limited', tooMany(definition, decision.rate!, waitMs))
  return decision.when === undefined ? wish : withArguments(state, decision, definition, wish)
}

function withArguments<W extends Wish>(
  state: BrokerState,
  { when }: Decision,
  definition: Definition,
  wish: W,
): RoutingFailure | W {
  const params = readParams(wish.body)
  const problem = typeof params === 'string' ? params : when!(argumentsIn(params))
  if (problem === undefined) return { ...wish, body: Buffer.from(JSON.stringify(params)) }
  return refuse(state, 'arguments', wrongArguments(definition, problem))
}

/** The params of a call, or what is wrong with them. */
function readParams(body: Uint8Array): { readonly [key: string]: unknown } | string {
  if (body.byteLength > judgedBytesMax) return `they have more than ${judgedBytesMax} bytes, and are not looked into`
  const params = isUtf8(body) ? parseJson(body) : undefined
  if (params === undefined) return 'they are not JSON'
  if (!isObject(params) || !isObject(argumentsIn(params))) return 'they are no object'
  if (isDeeper(params, judgedDepthMax)) return `they are deeper than ${judgedDepthMax}`
  return hasOnlyFinite(params) ? params : 'they have a number that is too large to be sent on'
}

/** A number beyond all that there are is read as infinite, and would be written as null. */
function hasOnlyFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(hasOnlyFinite)
}

const argumentsIn = ({ arguments: given = {} }: { readonly [key: string]: unknown }): unknown => given

/** Names of both kinds can be equal, and of principals nobody can say what they are not. */
function whoseCalls({ each }: RateLimit, { principal, session }: Viewer): string {
  if (each === 'all') return 'all'
  return each === 'session' ? `session ${session}` : `principal ${principal}`
}

function refuse(state: BrokerState, label: string, why: RoutingFailure): RoutingFailure {
  state.counters.add('policy_refused', label)
  return why
}

const remedy = 'Whoever operates this hub sees why with "callboard policy check".'

function notCallable({ key }: Definition): RoutingFailure {
  return failure('forbidden', `The policy of this hub lets you see ${key}, and not use it. ${remedy}`)
}

function wrongArguments({ key }: Definition, problem: string): RoutingFailure {
  return failure('forbidden', `The policy of this hub does not let you call ${key} like this: ${problem}. ${remedy}`)
}

function tooMany({ key }: Definition, { calls, perMs }: RateLimit, waitMs: number): RoutingFailure {
  const wait = `${Math.max(0.1, waitMs / 1_000).toFixed(1)} s`
  const text = `${key} may be called ${calls} times in ${perMs / 1_000} s here. It was not started; try again in ${wait}.`
  return failure('rate_limited', text, Math.min(waitMs, deadlineMsMax))
}

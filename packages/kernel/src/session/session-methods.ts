import { didYouMean } from '@callboard/worker'
import {
  beatMax,
  bpmMax,
  bpmMin,
  eventDataBytesMax,
  eventNameLengthMax,
  eventPatternsMax,
  listLimitMax,
  loopBeatsMin,
  markerMetadataBytesMax,
  markersPerSessionMax,
  nameLengthMax,
  noteLengthMax,
  rulesPerSessionMax,
  vibeLengthMax,
  waitSMax,
  waitsPerKernelMax,
} from '../limits.js'
import { carriesCode } from './action.js'
import type { LoadedSession, SessionHouse } from './loaded-session.js'
import { ModuleError, type ModuleMethods } from './module-api.js'
import { Params } from './module-params.js'
import type { Rule } from './rule.js'
import { rowOf, ruleFrom, ruleParams, toWall, viewOf } from './rule-texts.js'
import { eventName, eventPattern } from './trigger.js'

export interface MethodContext {
  readonly session: LoadedSession
  readonly house: SessionHouse
  /** How many firings have led to this request. */
  readonly depth: number
  /** Aborted when the asker no longer waits. */
  readonly signal: AbortSignal
  /** Makes another session the kernel's. */
  switchTo(target: { readonly name: string } | { readonly id: string }): Promise<LoadedSession>
  newId(): string
  /** Requests of this kernel that wait for an event. */
  readonly waiting: { count: number }
  /** Callbacks of the process. */
  readonly bound: Set<string>
  forget(ids: readonly string[]): void
}

/** Those of the module's methods that a session answers. */
export type SessionMethod = Exclude<keyof ModuleMethods, 'tool' | 'docs'>

type Answers = {
  readonly [Method in SessionMethod]: {
    readonly params: readonly string[]
    readonly answer: (
      params: Params,
      context: MethodContext,
    ) => ModuleMethods[Method]['answer'] | Promise<ModuleMethods[Method]['answer']>
  }
}

/** Reads the parameters, does it, answers. Throws a ModuleError for what is the asker's fault. */
export async function answer(
  method: SessionMethod,
  values: { readonly [name: string]: unknown },
  context: MethodContext,
): Promise<unknown> {
  const { params, answer: perform } = answers[method]
  return perform(new Params(method, values, params), context)
}

export function isSessionMethod(method: string): method is SessionMethod {
  return Object.hasOwn(answers, method)
}

const answers: Answers = {
  session: { params: ['name', 'vibe', 'load', 'shared'], answer: switchSession },
  sessions: { params: [], answer: (_, { session, house }) => listSessions(session, house) },
  tempo: {
    params: ['bpm'],
    async answer(params, { session, depth }) {
      const bpm = params.maybeNumber('bpm', bpmMin, bpmMax)
      if (bpm !== undefined) await session.command({ do: 'tempo', bpm }, depth)
      return session.transport.bpm
    },
  },
  play: {
    params: ['from_beat'],
    async answer(params, { session, depth }) {
      const fromBeat = params.maybeNumber('from_beat', 0, beatMax)
      await session.command({ do: 'play', ...(fromBeat !== undefined && { fromBeat }) }, depth)
      return session.transport
    },
  },
  pause: { params: [], answer: (_, context) => command(context, { do: 'pause' }) },
  stop: { params: [], answer: (_, context) => command(context, { do: 'stop' }) },
  seek: {
    params: ['beat'],
    answer: (params, context) => command(context, { do: 'seek', beat: params.number('beat', 0, beatMax) }),
  },
  loop: { params: ['start', 'end'], answer: setLoop },
  transport: { params: [], answer: (_, { session }) => session.transport },
  until_beat: {
    params: ['beat'],
    answer: (params, context) => wait(context, { beat: params.number('beat', 0, beatMax) }),
  },
  sleep_beats: {
    params: ['n'],
    answer: (params, context) => wait(context, { beats: params.number('n', 0, beatMax) }),
  },
  marker: { params: ['name', 'beat', 'metadata'], answer: setMarker },
  markers: {
    params: ['start', 'end'],
    answer(params, { session }) {
      const start = params.maybeNumber('start', 0, beatMax) ?? 0
      const end = params.maybeNumber('end', 0, beatMax) ?? Number.POSITIVE_INFINITY
      const within = [...session.markers.values()].filter(({ beat }) => beat >= start && beat <= end)
      return within.sort((a, b) => a.beat - b.beat || (a.name < b.name ? -1 : 1))
    },
  },
  remove_marker: {
    params: ['name'],
    async answer(params, { session, house }) {
      const name = params.name('name', nameLengthMax)
      if (!session.markers.delete(name)) return false
      session.step({ type: 'marker_removed', name })
      await session.write(() => house.contents.removeMarker(session.record.id, name))
      return true
    },
  },
  rule: { params: ruleParams, answer: setRule },
  rules: {
    params: ['all'],
    answer(params, { session, house }) {
      const all = params.flag('all') ?? false
      return session.rules.filter(({ status }) => all || status !== 'done').map((rule) => viewOf(rule, house.clocks))
    },
  },
  get_rule: {
    params: ['id_or_name'],
    answer(params, { session, house }) {
      const wanted = params.text('id_or_name', 200)
      const rule = session.rule(wanted) ?? session.rules.find(({ name }) => name === wanted)
      if (rule) return viewOf(rule, house.clocks)
      const names = session.rules.map(({ name }) => name)
      throw new ModuleError('NotFoundError', `There is no rule ${JSON.stringify(wanted)}${didYouMean(wanted, names)}.`)
    },
  },
  set_rule: {
    params: ['id', 'enabled'],
    async answer(params, { session, house }) {
      const rule = ruleBy(params, session)
      const enabled = params.flag('enabled')
      if (enabled === undefined) throw new ModuleError('TypeError', 'set_rule needs enabled.')
      if (!session.isOwn && carriesCode(rule.action)) throw foreignCode()
      if (enabled && rule.status === 'done') {
        throw new ModuleError('ValueError', 'The rule has fired as often as it may; register it again.')
      }
      session.step({ type: 'rule_enabled', id: rule.id, enabled })
      await session.flush()
      return viewOf(rule, house.clocks)
    },
  },
  remove_rule: {
    params: ['id'],
    async answer(params, { session, house, bound, forget }) {
      const id = params.text('id', 200)
      if (!session.rule(id)) return false
      session.step({ type: 'rule_removed', id })
      if (bound.delete(id)) forget([id])
      await session.write(() => house.contents.removeRule(id))
      return true
    },
  },
  fire_rule: {
    params: ['id'],
    answer(params, { session, house, depth }) {
      const rule = ruleBy(params, session)
      if (!session.isOwn && carriesCode(rule.action)) throw foreignCode()
      if (rule.status === 'unbound') {
        throw new ModuleError('UnavailableError', 'The function of this rule is gone; register the rule again.')
      }
      session.step({ type: 'rule_fired', id: rule.id, depth })
      return viewOf(rule, house.clocks)
    },
  },
  next_fire: {
    params: ['id'],
    answer(params, { session, house }) {
      const { beat, atMs } = session.nextFire(ruleBy(params, session).id)
      return { beat, time: atMs === null ? null : new Date(toWall(atMs, house.clocks)).toISOString() }
    },
  },
  rule_log: {
    params: ['id', 'limit'],
    async answer(params, { session, house }) {
      const { id } = ruleBy(params, session)
      const limit = params.whole('limit', 1, listLimitMax) ?? 20
      await session.flush()
      const rows = await house.contents.ruleLog(id, limit)
      return rows.map(({ rule_id, fired_at, ...row }) => ({ ...row, fired_at: new Date(fired_at).toISOString() }))
    },
  },
  emit: {
    params: ['name', 'data'],
    answer(params, { session, house, depth }) {
      const name = eventName(params.text('name', eventNameLengthMax * 2))
      return house.publish(session.owner, name, params.json('data', eventDataBytesMax), depth)
    },
  },
  events: {
    params: ['cursor', 'types', 'limit'],
    answer(params, { session, house }) {
      return house.events.read(session.owner, {
        cursor: params.maybeText('cursor', 200),
        types: params.texts('types', eventPatternsMax)?.map(eventPattern),
        limit: params.whole('limit', 1, listLimitMax) ?? 100,
      })
    },
  },
  wait_event: { params: ['pattern', 'timeout_s', 'cursor'], answer: waitForEvent },
  history: {
    params: ['limit', 'query'],
    async answer(params, { session, house }) {
      const limit = params.whole('limit', 1, listLimitMax) ?? 20
      await session.flush()
      const entries = await house.contents.history(session.record.id, limit, params.maybeText('query', 200))
      return entries.map(({ createdAt, ...entry }) => ({ ...entry, timestamp: new Date(createdAt).toISOString() }))
    },
  },
  note: {
    params: ['text'],
    async answer(params, { session, house }) {
      const text = params.name('text', noteLengthMax)
      const entry = { action: `note: ${text}`, params: {}, result: null, success: true }
      await session.write(() => house.contents.addHistory(session.record.id, entry))
      return null
    },
  },
}

async function switchSession(params: Params, context: MethodContext) {
  const name = params.maybeName('name', nameLengthMax)
  const load = params.maybeText('load', 200)
  const vibe = params.maybeText('vibe', vibeLengthMax)
  const shared = params.flag('shared')
  if (name !== undefined && load !== undefined) {
    throw new ModuleError('ValueError', 'Give name or load, not both: name is your own session, load any by its id.')
  }
  const session =
    load !== undefined
      ? await context.switchTo({ id: load })
      : name !== undefined
        ? await context.switchTo({ name })
        : context.session
  if (shared !== undefined && session.record.owner !== session.owner) {
    throw new ModuleError('ValueError', 'Only its owner can say whether a session is shared.')
  }
  if (vibe === undefined && shared === undefined) return session.info
  if (vibe !== undefined) session.vibe = vibe
  if (shared !== undefined) session.shared = shared
  await session.write(() =>
    context.house.records.describe(session.record.id, {
      ...(vibe !== undefined && { vibe }),
      ...(shared !== undefined && { shared }),
    }),
  )
  return session.info
}

async function listSessions(session: LoadedSession, { records }: SessionHouse) {
  await session.flush()
  const all = await records.list(session.owner)
  return all.map(({ id, name, vibe, shared, transport }) => ({
    id,
    name,
    vibe,
    tempo_bpm: transport.bpm,
    shared,
    current: id === session.record.id,
  }))
}

async function command(
  { session, depth }: MethodContext,
  transport: { readonly do: 'pause' | 'stop' } | { readonly do: 'seek'; readonly beat: number },
) {
  await session.command(transport, depth)
  return session.transport
}

async function setLoop(params: Params, { session, depth }: MethodContext) {
  const start = params.maybeNumber('start', 0, beatMax)
  const end = params.maybeNumber('end', 0, beatMax)
  if ((start === undefined) !== (end === undefined)) {
    throw new ModuleError('TypeError', 'loop needs both start and end, or None for no loop.')
  }
  if (start !== undefined && end !== undefined && end - start < loopBeatsMin) {
    throw new ModuleError(
      'ValueError',
      `A loop must be at least ${loopBeatsMin} beats long; ${start} to ${end} is not.`,
    )
  }
  const loop = start === undefined || end === undefined ? null : { start, end }
  await session.command({ do: 'loop', loop }, depth)
  return session.transport
}

function wait({ session, signal }: MethodContext, target: { readonly beat: number } | { readonly beats: number }) {
  if (session.waiting >= waitsPerKernelMax) throw tooManyWaits()
  return session.wait(target, signal)
}

async function setMarker(params: Params, { session, house }: MethodContext) {
  const marker = {
    name: params.name('name', nameLengthMax),
    beat: params.number('beat', 0, beatMax),
    metadata: params.json('metadata', markerMetadataBytesMax),
  }
  if (!session.markers.has(marker.name) && session.markers.size >= markersPerSessionMax) {
    throw new ModuleError('LimitError', `A session has at most ${markersPerSessionMax} markers; remove some.`)
  }
  session.markers.set(marker.name, marker)
  session.step({ type: 'marker_set', name: marker.name, beat: marker.beat })
  await session.write(() => house.contents.setMarker(session.record.id, marker))
  return marker
}

async function setRule(params: Params, { session, house, newId, bound, forget }: MethodContext) {
  const { rules } = session
  const idOf = (name: string) =>
    rules.find((rule) => rule.name === name)?.id ?? session.registering.get(name) ?? newId()
  const rule = ruleFrom(params, idOf, session.takeCreationTime(), house.clocks.monotonic())
  if (!session.isOwn && carriesCode(rule.action)) throw foreignCode()
  const replaces = session.rule(rule.id) !== undefined
  if (!replaces && rules.length >= rulesPerSessionMax) {
    throw new ModuleError('LimitError', `A session has at most ${rulesPerSessionMax} rules; remove some.`)
  }
  session.registering.set(rule.name, rule.id)
  const row = rowOf(rule, session.record.id, house.clocks)
  await session.write(() => house.contents.setRule(row))
  if (rule.action.kind === 'call') bound.add(rule.id)
  else if (bound.delete(rule.id)) forget([rule.id])
  // Due at once, it goes out after the answer, so that the callback is bound.
  setImmediate(() => session.adopt(rule))
  return viewOf(rule, house.clocks)
}

function ruleBy(params: Params, session: LoadedSession): Rule {
  const id = params.text('id', 200)
  const rule = session.rule(id)
  if (!rule) throw new ModuleError('NotFoundError', 'The rule is not of the current session, or was removed.')
  return rule
}

function foreignCode(): ModuleError {
  return new ModuleError(
    'UnavailableError',
    'This session is shared by another owner: rules with eval: or tool: run in kernels of that owner only, and only that owner sets them.',
  )
}

async function waitForEvent(params: Params, { session, house, signal, waiting }: MethodContext) {
  const pattern = eventPattern(params.text('pattern', eventNameLengthMax * 2))
  const timeoutS = params.number('timeout_s', 0, waitSMax)
  const cursor = params.maybeText('cursor', 200) ?? house.events.newest(session.owner)
  if (waiting.count >= waitsPerKernelMax) throw tooManyWaits()
  const over = new AbortController()
  const cancel = house.timers.after(timeoutS * 1000, () => over.abort())
  waiting.count += 1
  try {
    const until = AbortSignal.any([signal, over.signal])
    const { events } = await house.events.wait(session.owner, { cursor, types: [pattern], limit: 1 }, until)
    const [event] = events
    if (!event) throw new ModuleError('LimitError', `No event "${pattern}" came within ${timeoutS} s.`)
    return event
  } finally {
    cancel()
    waiting.count -= 1
  }
}

function tooManyWaits(): ModuleError {
  return new ModuleError('LimitError', `A kernel waits for at most ${waitsPerKernelMax} beats or events at once.`)
}

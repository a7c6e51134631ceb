import type { Provocation } from './provocation.js'

/** A change of one line that a correct program would not survive. */
export interface Mutant {
  readonly name: string
  /** Of the built packages. */
  readonly file: string
  /** The change is made at the first `from` behind this text; absent: `from` is there once. */
  readonly behind?: string
  readonly from: string
  readonly to: string
  /** What makes it show soon. */
  readonly provoke?: Provocation
  /** Which check is to find it: what that says. */
  readonly found?: RegExp
  /** Why the simulation cannot find it. */
  readonly equivalent?: string
}

const flow = 'hub/dist/broker/call-flow.js'
const dispatcher = 'hub/dist/broker/dispatcher.js'
const signIn = 'hub/dist/broker/sign-in.js'
const broker = 'hub/dist/broker/broker.js'
const workerCalls = 'hub/dist/broker/worker-calls.js'
const served = 'worker/dist/served-calls.js'

export const mutants: readonly Mutant[] = [
  {
    name: 'a late RESPONSE does not return its credit',
    file: flow,
    from: 'const wasHeld = returnCredit(worker, message.id)',
    to: 'const wasHeld = call !== undefined && returnCredit(worker, message.id)',
  },
  {
    name: 'one call more than there are credits',
    file: dispatcher,
    behind: '#hasRoom(worker, call) {',
    from: 'usedCredits(worker, call.caller.depth) < worker.concurrency',
    to: 'usedCredits(worker, call.caller.depth) <= worker.concurrency',
  },
  {
    name: 'one call fewer than there are credits',
    file: dispatcher,
    behind: '#hasRoom(worker, call) {',
    from: 'usedCredits(worker, call.caller.depth) < worker.concurrency',
    to: 'usedCredits(worker, call.caller.depth) + 1 < worker.concurrency',
  },
  {
    name: 'nobody is ever suspect',
    file: broker,
    from: 'worker.suspect = true',
    to: 'worker.suspect = false',
    provoke: 'loss',
    found: /nobody says that it is back/,
  },
  {
    name: 'frames of an earlier hub are taken',
    file: broker,
    from: 'message.epoch !== this.#state.options.epoch',
    to: 'false',
    equivalent: 'connections end with their hub, and a worker asks the next one for its epoch before anything else',
  },
  {
    name: 'a child may take longer than its parent',
    file: workerCalls,
    from: 'longest, standing.deadlineMax)',
    to: 'longest)',
    provoke: 'nesting',
  },
  {
    name: 'any lost call is handed over again',
    file: flow,
    from: 'retriable && this.#state',
    to: 'this.#state',
  },
  {
    name: 'what needs its very worker is handed over to another when that is lost',
    file: flow,
    from: "this.#state.catalogue.affinityOf(service) === 'none'",
    to: 'true',
    provoke: 'loss',
    found: /may have started it/,
  },
  {
    name: 'a call that was lost is said never to have begun',
    file: 'hub/dist/broker/call-endings.js',
    behind: 'function shedFailure(',
    from: 'if (call.mayHaveRun)',
    to: 'if (false)',
    provoke: 'loss',
    found: /never to have begun/,
  },
  {
    name: 'a full queue keeps out whoever comes',
    file: 'hub/dist/broker/waiting-calls.js',
    from: 'calls.excessOver(lane)',
    to: 'undefined',
    provoke: 'crowd',
    found: /is refused with/,
  },
  {
    name: 'who has most gives way with its first call',
    file: 'hub/dist/broker/fair-queue.js',
    from: 'lanes.get(name).at(-1)',
    to: 'lanes.get(name).at(0)',
    provoke: 'crowd',
    found: /not the last of its lane/,
  },
  {
    name: 'who has as little gives way, too',
    file: 'hub/dist/broker/fair-queue.js',
    from: 'size > own + 1',
    to: 'true',
    provoke: 'crowd',
    found: /gives way/,
  },
  {
    name: 'a call without the time that it is due tells against its worker',
    file: flow,
    from: 'worker !== undefined && hadItsTime',
    to: 'worker !== undefined',
    provoke: 'impatience',
    found: /is ejected for/,
  },
  {
    name: 'a few failures are enough for an ejection',
    file: 'hub/dist/broker/limits.js',
    from: 'healthCallsMin = 20',
    to: 'healthCallsMin = 2',
    provoke: 'sickness',
    found: /is ejected for/,
  },
  {
    name: 'each ejection is as long as the first',
    file: 'hub/dist/broker/outliers.js',
    from: '2 ** Math.min(health.ejections, 16)',
    to: '1',
    provoke: 'sickness',
    found: /is for 10000 ms/,
  },
  {
    name: 'what waits is not given to an ejected worker when the last of the others falls silent',
    file: broker,
    from: 'this.#dispatcher.pump(worker.service);\n    }\n    #tokenExpired',
    to: '}\n    #tokenExpired',
    provoke: 'sickness',
    found: /could take it/,
  },
  {
    name: 'a call that ended stays in the queue',
    file: flow,
    from: 'this.#dispatcher.dequeue(call)',
    to: 'undefined',
  },
  {
    name: 'children are not cancelled with their parent',
    file: flow,
    from: '[...call.children]',
    to: '[]',
  },
  {
    name: 'a credit that comes back serves nobody who waits',
    file: flow,
    behind: 'response(worker, message) {',
    from: 'this.#dispatcher.pump(worker.service)',
    to: 'undefined',
  },
  {
    name: 'a worker that comes serves nobody who waits',
    file: signIn,
    behind: 'ready(peer, message) {',
    from: 'this.#dispatcher.offersChanged(service)',
    to: 'undefined',
  },
  {
    name: 'nobody is bound to a worker',
    file: dispatcher,
    from: 'this.#bind(call, worker.peer)',
    to: 'undefined',
  },
  {
    name: 'a draining worker gets calls',
    file: dispatcher,
    from: "worker.state = 'draining'",
    to: 'undefined',
  },
  {
    name: 'calls of a lost worker stay open',
    file: signIn,
    from: 'this.#flow.workerLost(worker)',
    to: '0',
  },
  {
    name: 'what a lost worker called goes on',
    file: flow,
    from: '[...worker.calls]',
    to: '[]',
    equivalent: 'the calls that it made end with the calls that it held; only those by a token have no parent',
  },
  {
    name: 'a call may be handed over for ever',
    file: 'hub/dist/broker/limits.js',
    from: 'attemptsMax = 3',
    to: 'attemptsMax = 1_000',
  },
  {
    name: 'what a worker still holds costs no credit',
    file: signIn,
    from: 'takeCredit(worker, id, 0)',
    to: 'undefined',
  },
  {
    name: 'a call goes to the worker that still runs it',
    file: dispatcher,
    from: '!worker.held.has(call.id)',
    to: 'true',
    provoke: 'loss',
    found: /still runs an earlier attempt/,
  },
  {
    name: 'who waits for its own chain is told that others are busy',
    file: flow,
    from: 'this.#state.calls.isInCircle(call)',
    to: 'false',
    provoke: 'nesting',
  },
  {
    name: 'calls may be nested without end',
    file: workerCalls,
    from: 'standing.caller.depth > depthMax',
    to: 'false',
    provoke: 'nesting',
  },
  {
    name: 'a question to a person keeps its credit',
    file: flow,
    behind: 'inputRequired(worker, message) {',
    from: 'returnCredit(worker, call.id)',
    to: 'undefined',
  },
  {
    name: 'an answered question takes no credit',
    file: flow,
    behind: '#wake(call) {',
    from: 'takeCredit(worker, call.id, call.caller.depth)',
    to: 'undefined',
  },
  {
    name: 'the end of a session is not told',
    file: 'hub/dist/broker/audience.js',
    from: 'if (worker.sessions.delete(id))',
    to: 'if (worker.sessions.delete(id) && id === "")',
  },
  {
    name: 'a second connection keeps what the first one proved',
    file: broker,
    from: "this.#signIn.leave(event.peer, 'taken_over')",
    to: 'undefined',
  },
  {
    name: 'a call that ends waiting leaves those behind it without a turn',
    file: broker,
    from: 'this.#dispatcher.pumpFreed()',
    to: 'undefined',
    provoke: 'builds',
  },
  {
    name: 'a worker starts what is from before its gap',
    file: served,
    from: '!heartbeats.isStale',
    to: 'true',
  },
  {
    name: 'a worker starts calls while it drains',
    file: served,
    from: 'if (drain.isOn)',
    to: 'if (false)',
    provoke: 'leaving',
  },
  {
    name: 'a worker takes a call that it answered in an earlier sign-in for a double',
    file: 'worker/dist/held-calls.js',
    from: 'this.#answered.clear()',
    to: 'undefined',
  },
  {
    name: 'a worker answers for calls that nobody waits for any more',
    file: served,
    from: 'if (!this.#isOwed(call))',
    to: 'if (false)',
  },
  {
    name: 'a worker forgets its own calls when the hub is lost',
    file: 'worker/dist/made-calls.js',
    from: 'this.#state.open.endAll()',
    to: '[]',
    provoke: 'hub_loss',
  },
  {
    name: 'a worker takes more than its credits',
    file: served,
    from: 'held.creditsUsed(caller.depth) >= options.concurrency',
    to: 'false',
    equivalent: 'the hub hands over nothing without a credit; this is the second lock of two',
  },
  {
    name: 'whoever had a turn stays first',
    file: 'hub/dist/broker/fair-queue.js',
    behind: '#toTheEnd(principal, lanes, lane, items) {',
    from: 'this.#principals.delete(principal)',
    to: 'undefined',
    provoke: 'queue',
    found: /has its turn number/,
  },
  {
    name: 'all workers may be ejected',
    file: 'hub/dist/broker/outliers.js',
    from: 'Math.floor(this.#ready(service).length / 2)',
    to: 'this.#ready(service).length',
    provoke: 'sickness',
    found: /workers of .* are ejected/,
  },
  {
    name: 'ejected workers get calls like all others',
    file: dispatcher,
    from: 'worker.health.ejectedUntil !== undefined',
    to: 'false',
    provoke: 'sickness',
    found: /while ejected/,
  },
  {
    name: 'a newer version takes over at once',
    file: 'hub/dist/broker/limits.js',
    from: 'trialMs = 30_000',
    to: 'trialMs = 0',
    provoke: 'builds',
    found: /still offers them/,
  },
  {
    name: 'a lost edition gives way at once',
    file: 'hub/dist/broker/limits.js',
    from: 'editionGraceMs = 5_000',
    to: 'editionGraceMs = 0',
    provoke: 'builds',
    found: /ms after its last worker was lost/,
  },
  {
    name: 'a worker serves what it defines otherwise',
    file: 'hub/dist/broker/service-entry.js',
    from: 'hashes.get(offerKey(kind, workerKey)) === hash',
    to: 'hashes.has(offerKey(kind, workerKey))',
    provoke: 'builds',
    found: /which it defines otherwise/,
  },
  {
    name: 'who is shed is told no time to wait',
    file: 'hub/dist/broker/call-endings.js',
    from: '.`, retryAfterMs)',
    to: '.`)',
    provoke: 'crowd',
    found: /to be repeated after undefined/,
  },
]

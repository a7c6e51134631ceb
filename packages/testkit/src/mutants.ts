/** A change of one line that a correct program would not survive. */
export interface Mutant {
  readonly name: string
  /** Of the built packages. */
  readonly file: string
  /** The change is made at the first `from` behind this text; absent: `from` is there once. */
  readonly behind?: string
  readonly from: string
  readonly to: string
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
  { name: 'nobody is ever suspect', file: broker, from: 'worker.suspect = true', to: 'worker.suspect = false' },
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
  },
  {
    name: 'any lost call is handed over again',
    file: flow,
    from: 'return retriable &&',
    to: 'return',
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
  },
  {
    name: 'a call may wait for its own ancestor',
    file: dispatcher,
    from: 'isAncestor(call.definition.service)',
    to: 'false',
  },
  {
    name: 'calls may be nested without end',
    file: workerCalls,
    from: 'standing.caller.depth > depthMax',
    to: 'false',
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
  },
  {
    name: 'all workers may be ejected',
    file: 'hub/dist/broker/outliers.js',
    from: 'Math.floor(this.#ready(service).length / 2)',
    to: 'this.#ready(service).length',
  },
  {
    name: 'ejected workers get calls like all others',
    file: dispatcher,
    from: 'worker.health.ejectedUntil !== undefined',
    to: 'false',
  },
  {
    name: 'a newer version takes over at once',
    file: 'hub/dist/broker/limits.js',
    from: 'trialMs = 30_000',
    to: 'trialMs = 0',
  },
  {
    name: 'a lost edition gives way at once',
    file: 'hub/dist/broker/limits.js',
    from: 'editionGraceMs = 5_000',
    to: 'editionGraceMs = 0',
  },
  {
    name: 'a worker serves what it defines otherwise',
    file: 'hub/dist/broker/catalogue.js',
    from: 'hashes.get(offerKey(each.kind, each.workerKey)) === each.hash',
    to: 'hashes.has(offerKey(each.kind, each.workerKey))',
  },
  {
    name: 'who is shed is told no time to wait',
    file: 'hub/dist/broker/call-endings.js',
    from: '.`, retryAfterMs)',
    to: '.`)',
  },
]

import type { Message } from '../../src/messages.js'

/** One message of every type and outcome, with the least and with all of its fields. */
export interface Sample {
  readonly name: string
  readonly clause: string
  readonly minimal: Message
  /** Absent where the type has no optional field. */
  readonly full?: Message
}

export const epoch = '0k3f9a2b7c1d'
export const otherEpoch = 'zz99zz99zz99zz99zz99zz99zz99zz99'
export const callId = `${epoch}-42`
export const now = 1_794_832_000_123
export const session = 's-1f0e5c1d9b7a4e63'
export const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
export const ascending = (length: number, from = 0): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (from + index) & 0xff)

const caller = { session, principal: 'agent:main', roles: ['agent'], depth: 0 } as const
const fullCaller = {
  session,
  principal: 'worker:scheduler',
  roles: ['agent', 'operator'],
  group: 'main',
  depth: 8,
  run: { id: 'run-7', attempt: 2, triggerDepth: 1 },
  onBehalfOf: 'agent:main',
} as const
const params = json({ name: 'greet', arguments: { name: 'Ada' } })

const definitions = json({
  tools: [
    { name: 'greet', inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
  ],
})

export const samples: readonly Sample[] = [
  { name: 'hello', clause: 'CB-10', minimal: { type: 'hello', versions: [1, 1] } },
  { name: 'challenge', clause: 'CB-12', minimal: { type: 'challenge', version: 1, nonce: ascending(32), epoch } },
  {
    name: 'ready',
    clause: 'CB-13',
    minimal: {
      type: 'ready',
      epoch,
      service: 'greeter',
      version: '1.0.0',
      instance: '5d1f2a3b4c5d6e7f',
      workerEpoch: 0,
      concurrency: 1,
      heartbeatMs: 1000,
      replicas: 'many',
      affinity: 'none',
      held: [],
      body: json({}),
    },
    full: {
      type: 'ready',
      epoch,
      service: 'kernel',
      version: '1.0.0-rc.1+build.5',
      instance: '5d1f2a3b4c5d6e7f',
      workerEpoch: 3,
      key: 'JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6',
      proof: ascending(32, 100),
      concurrency: 16,
      heartbeatMs: 250,
      replicas: 'one',
      affinity: 'principal',
      held: [`${epoch}-17`, `${epoch}-18`],
      body: definitions,
    },
  },
  {
    name: 'welcome',
    clause: 'CB-16',
    minimal: { type: 'welcome', epoch, now, trusted: false, body: json({ refused: [] }) },
    full: {
      type: 'welcome',
      epoch,
      now,
      trusted: true,
      body: json({
        refused: [
          { kind: 'tool', name: 'greet', code: 'name_taken', message: 'greet belongs to host', holder: 'host' },
        ],
      }),
    },
  },
  {
    name: 'reject',
    clause: 'CB-17',
    minimal: { type: 'reject', code: 'unknown_peer', message: 'Say HELLO.' },
    full: { type: 'reject', code: 'duplicate_instance', message: 'This instance is signed in.', retryAfterMs: 1000 },
  },
  {
    name: 'update',
    clause: 'CB-25',
    minimal: { type: 'update', epoch, body: definitions },
    full: {
      type: 'update',
      epoch,
      session,
      body: json({
        hiddenTools: ['greet'],
        shownTools: ['wave'],
        tools: [{ name: 'bow', inputSchema: { type: 'object' } }],
      }),
    },
  },
  {
    name: 'request',
    clause: 'CB-30',
    minimal: {
      type: 'request',
      id: callId,
      method: 'tools/call',
      name: 'greet',
      deadline: now + 120_000,
      idempotencyKey: callId,
      caller,
      client: { generation: 'modern', input: [], progress: false },
      body: params,
    },
    full: {
      type: 'request',
      id: callId,
      method: 'resources/read',
      name: 'weave://runs/7',
      deadline: now + 120_000,
      idempotencyKey: 'order 4711',
      caller: fullCaller,
      client: { generation: 'legacy', input: ['form', 'url', 'sampling', 'roots'], logLevel: 'notice', progress: true },
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      tracestate: 'vendor=1, other=2',
      body: json({ uri: 'weave://runs/7' }),
    },
  },
  {
    name: 'response-result',
    clause: 'CB-32',
    minimal: {
      type: 'response',
      id: callId,
      outcome: 'result',
      body: json({ content: [{ type: 'text', text: 'Hello Ada' }] }),
    },
    full: {
      type: 'response',
      id: callId,
      outcome: 'result',
      isError: true,
      body: json({ content: [{ type: 'text', text: 'Nobody is called that.' }], isError: true }),
    },
  },
  {
    name: 'response-error',
    clause: 'CB-32',
    minimal: {
      type: 'response',
      id: callId,
      outcome: 'error',
      body: json({ code: -32602, message: 'No such prompt' }),
    },
  },
  {
    name: 'response-not-started',
    clause: 'CB-33',
    minimal: { type: 'response', id: callId, outcome: 'not_started', reason: 'expired' },
  },
  {
    name: 'progress',
    clause: 'CB-41',
    minimal: { type: 'progress', id: callId, body: json({ progress: 1, total: 3 }) },
  },
  {
    name: 'log',
    clause: 'CB-42',
    minimal: { type: 'log', level: 'info', body: json({ data: 'started' }) },
    full: { type: 'log', id: callId, level: 'emergency', body: json({ logger: 'db', data: { rows: 0 } }) },
  },
  {
    name: 'input-required',
    clause: 'CB-45',
    minimal: {
      type: 'input_required',
      id: callId,
      timeoutMs: 60_000,
      body: json({
        inputRequests: {
          sure: {
            method: 'elicitation/create',
            params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
          },
        },
      }),
    },
  },
  {
    name: 'resume',
    clause: 'CB-49',
    minimal: {
      type: 'resume',
      id: callId,
      deadline: now + 60_000,
      body: json({ inputResponses: { sure: { action: 'accept', content: {} } } }),
    },
    full: {
      type: 'resume',
      id: callId,
      deadline: now + 60_000,
      client: { generation: 'modern', input: ['form', 'sampling'], logLevel: 'warning', progress: true },
      body: json({ inputResponses: { sure: { action: 'accept', content: {} } } }),
    },
  },
  { name: 'cancel', clause: 'CB-40', minimal: { type: 'cancel', id: callId, reason: 'cancelled' } },
  {
    name: 'call',
    clause: 'CB-60',
    minimal: { type: 'call', epoch, id: 'c1', method: 'tools/list', name: '', progress: false, body: json({}) },
    full: {
      type: 'call',
      epoch,
      id: 'c2',
      method: 'tools/call',
      name: 'greet',
      parent: callId,
      token: 'tok-3b1f',
      deadline: now + 5_000,
      idempotencyKey: 'order 4711',
      progress: true,
      body: params,
    },
  },
  {
    name: 'result-result',
    clause: 'CB-65',
    minimal: { type: 'result', id: 'c2', outcome: 'result', body: json({ content: [] }) },
  },
  {
    name: 'result-error',
    clause: 'CB-65',
    minimal: { type: 'result', id: 'c2', outcome: 'error', body: json({ code: -32602, message: 'No such tool' }) },
  },
  {
    name: 'result-failure',
    clause: 'CB-65',
    minimal: {
      type: 'result',
      id: 'c2',
      outcome: 'failure',
      failure: { code: 'deadlock', message: 'kernel already works on this call.', retryable: false },
    },
    full: {
      type: 'result',
      id: 'c2',
      outcome: 'failure',
      failure: { code: 'overloaded', message: 'Too many calls wait.', retryable: true, retryAfterMs: 1000 },
    },
  },
  {
    name: 'event',
    clause: 'CB-54',
    minimal: { type: 'event', epoch, kind: 'tools_changed' },
    full: { type: 'event', epoch, kind: 'resource_updated', uri: 'weave://runs/7', session },
  },
  { name: 'subscribe', clause: 'CB-52', minimal: { type: 'subscribe', uri: 'weave://runs/7', session } },
  { name: 'unsubscribe', clause: 'CB-52', minimal: { type: 'unsubscribe', uri: 'weave://runs/7', session } },
  { name: 'roots-changed', clause: 'CB-55', minimal: { type: 'roots_changed', session } },
  { name: 'session-closed', clause: 'CB-56', minimal: { type: 'session_closed', session } },
  { name: 'sessions', clause: 'CB-57', minimal: { type: 'sessions', body: json({ sessions: [session] }) } },
  {
    name: 'heartbeat',
    clause: 'CB-68',
    minimal: { type: 'heartbeat', epoch, serial: 0, sentAt: now, load: 0 },
    full: { type: 'heartbeat', epoch, serial: 7, sentAt: now, load: 3, holdUntil: now + 86_400_000 },
  },
  {
    name: 'heartbeat-echo',
    clause: 'CB-69',
    minimal: { type: 'heartbeat_echo', serial: 7, sentAt: now, now: now + 2 },
  },
  {
    name: 'drain',
    clause: 'CB-75',
    minimal: { type: 'drain', epoch, drainMs: 30_000, acknowledged: false },
    full: { type: 'drain', epoch, drainMs: 800, acknowledged: false, hubEnds: true },
  },
  { name: 'bye', clause: 'CB-77', minimal: { type: 'bye', epoch } },
]

/** The minimal message of a sample. */
export function sample(name: string): Message {
  const found = samples.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no sample ${name}`)
  return found.minimal
}

// biome-ignore-all lint/suspicious/noExplicitAny: what comes over the wire is read freely here
import { beforeEach, describe, expect, it } from 'vitest'
import { queueMessagesMax } from '../../src/limits.js'
import { type Refusal, Relay } from '../../src/shim/relay.js'

let client: any[]
let hub: any[]
let givenUp: string[]
let dismissed: Refusal[]
let relay: Relay

const read = (line: Buffer | string) => JSON.parse(line.toString())
const line = (message: object) =>
  ({ kind: 'line', bytes: Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`) }) as const
const fromClient = (message: object) => relay.fromClient(line(message))
const fromHub = (message: object) => relay.fromHub(line(message))
const take = (list: any[]) => list.splice(0)

beforeEach(() => {
  client = []
  hub = []
  givenUp = []
  dismissed = []
  relay = new Relay({
    toClient: (written) => client.push(read(written)),
    toHub: (written) => hub.push(read(written)),
    giveUp: (reason) => givenUp.push(reason),
    dismissed: (refusal) => dismissed.push(refusal),
  })
})

/** A legacy client whose handshake is over. */
function handshake(): void {
  relay.hubAttached()
  fromClient({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } })
  fromHub({ id: 0, result: { protocolVersion: '2025-11-25' } })
  fromClient({ method: 'notifications/initialized' })
  take(client)
  take(hub)
}

/** The next hub, which agrees to the handshake; returns what it was sent after it. */
function restart(protocolVersion = '2025-11-25'): any[] {
  take(hub)
  relay.hubLost()
  relay.hubAttached()
  const [initialize] = take(hub)
  expect(initialize).toMatchObject({ method: 'initialize', params: { protocolVersion: '2025-11-25' } })
  fromHub({ id: initialize.id, result: { protocolVersion } })
  return take(hub)
}

describe('a legacy client', () => {
  beforeEach(handshake)

  it('has its lines passed on both ways, byte for byte', () => {
    const odd = Buffer.from('{ "id":1,"jsonrpc":"2.0", "method":"ping" }\r\n')
    const passed: (Buffer | string)[] = []
    const verbatim = new Relay({
      toClient: (each) => passed.push(each),
      toHub: (each) => passed.push(each),
      giveUp: () => {},
      dismissed: () => {},
    })
    verbatim.hubAttached()
    verbatim.fromClient({ kind: 'line', bytes: odd })
    expect(passed).toEqual([odd])
  })

  it('sees its handshake, log level and subscriptions replayed, and hears that lists may have changed', () => {
    fromClient({ id: 1, method: 'logging/setLevel', params: { level: 'debug' } })
    fromClient({ id: 2, method: 'resources/subscribe', params: { uri: 'a:1' } })
    fromClient({ id: 3, method: 'resources/subscribe', params: { uri: 'a:2' } })
    fromClient({ id: 4, method: 'resources/unsubscribe', params: { uri: 'a:1' } })
    for (const id of [1, 2, 3, 4]) fromHub({ id, result: {} })
    take(client)
    const replayed = restart()
    expect(replayed.map(({ method, params }) => [method, params])).toEqual([
      ['notifications/initialized', undefined],
      ['logging/setLevel', { level: 'debug' }],
      ['resources/subscribe', { uri: 'a:2' }],
    ])
    for (const { id } of replayed.slice(1)) fromHub({ id, result: {} })
    expect(take(client).map(({ method }) => method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
      'notifications/prompts/list_changed',
    ])
  })

  it('is told of calls whose outcome is unknown, once', () => {
    fromClient({ id: 'a', method: 'tools/call', params: { name: 'x' } })
    fromClient({ id: 'b', method: 'tools/call', params: { name: 'x' } })
    fromHub({ id: 'b', result: {} })
    take(client)
    relay.hubLost()
    expect(take(client)).toMatchObject([{ id: 'a', error: { code: -32000, data: { code: 'outcome_unknown' } } }])
    relay.hubLost()
    expect(client).toEqual([])
    expect(relay.owesAnswers).toBe(false)
  })

  it('has requests without effect asked again', () => {
    fromClient({ id: 5, method: 'tools/list' })
    expect(restart().at(-1)).toMatchObject({ id: 5, method: 'tools/list' })
    fromHub({ id: 5, result: { tools: [] } })
    expect(client.at(-1)).toMatchObject({ id: 5, result: { tools: [] } })
  })

  it('may speak while there is no hub', () => {
    relay.hubLost()
    fromClient({ id: 6, method: 'tools/call', params: { name: 'x' } })
    expect(take(client)).toEqual([])
    relay.hubAttached()
    fromHub({ id: take(hub)[0].id, result: { protocolVersion: '2025-11-25' } })
    expect(take(hub).at(-1)).toMatchObject({ id: 6, method: 'tools/call' })
    expect(relay.owesAnswers).toBe(true)
  })

  it('learns that nothing was started when no hub comes', () => {
    relay.hubLost()
    fromClient({ id: 7, method: 'tools/call', params: { name: 'x' } })
    relay.failWaiting('No hub.')
    expect(take(client)).toMatchObject([
      { id: 7, error: { message: 'No hub. Nothing was started.', data: { code: 'unavailable' } } },
    ])
    relay.hubAttached()
    expect(take(hub).map(({ method }) => method)).toEqual(['initialize'])
  })

  it('is refused what is beyond the bounds', () => {
    relay.hubLost()
    for (let id = 0; id <= queueMessagesMax; id++) fromClient({ id: `r${id}`, method: 'tools/call', params: {} })
    expect(take(client)).toMatchObject([{ id: `r${queueMessagesMax}`, error: { data: { code: 'overloaded' } } }])
  })

  it('may take back what waits or runs', () => {
    fromClient({ id: 8, method: 'tools/call', params: {} })
    fromClient({ method: 'notifications/cancelled', params: { requestId: 8 } })
    relay.hubLost()
    fromClient({ id: 9, method: 'tools/call', params: {} })
    fromClient({ method: 'notifications/cancelled', params: { requestId: 9 } })
    expect(relay.hasWaiting).toBe(false)
    expect(take(client)).toEqual([])
  })

  it('never mixes up what two hubs asked it', () => {
    fromHub({ id: 0, method: 'elicitation/create', params: {} })
    expect(take(client)).toMatchObject([{ id: 0, method: 'elicitation/create' }])
    restart()
    const cancelled = take(client)[0]
    expect(cancelled).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 0 } })
    fromHub({ id: 0, method: 'roots/list' })
    const asked = take(client).at(-1)
    expect(asked).toMatchObject({ method: 'roots/list' })
    expect(asked.id).not.toBe(0)
    fromClient({ id: 0, result: { action: 'accept' } })
    expect(take(hub)).toEqual([])
    fromClient({ id: asked.id, result: { roots: [] } })
    expect(take(hub)).toEqual([{ jsonrpc: '2.0', id: 0, result: { roots: [] } }])
  })

  it('has to begin anew when the next hub speaks another revision', () => {
    restart('2026-07-28')
    expect(givenUp).toHaveLength(1)
  })

  it('has its batches followed', () => {
    const batch = Buffer.from(
      '[{"jsonrpc":"2.0","id":1,"method":"tools/call"},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n',
    )
    relay.fromClient({ kind: 'line', bytes: batch })
    relay.fromHub({ kind: 'line', bytes: Buffer.from('[{"jsonrpc":"2.0","id":1,"result":{}}]\n') })
    take(client)
    relay.hubLost()
    expect(take(client)).toMatchObject([{ id: 2, error: { data: { code: 'outcome_unknown' } } }])
  })

  it('hears what the hub has against a line without an id', () => {
    const fault = { id: null, error: { code: -32700, message: 'Parse error' } }
    fromHub(fault)
    expect(take(client)).toEqual([{ jsonrpc: '2.0', ...fault }])
  })

  it('may say to the hub what is against a line without an id', () => {
    const fault = { id: null, error: { code: -32700, message: 'Parse error' } }
    fromClient(fault)
    expect(take(hub)).toEqual([{ jsonrpc: '2.0', ...fault }])
  })

  it.each([
    ['a method that is a number', { id: 1, method: 1 }],
    ['half an id', { id: 1.5, method: 'ping' }],
    ['null for an id', { id: null, method: 'ping' }],
  ])('has the hub judge what is no request, and is owed nothing by us: %s', (_, message) => {
    fromClient(message)
    expect(take(hub)).toEqual([{ jsonrpc: '2.0', ...message }])
    expect(relay.owesAnswers).toBe(false)
    relay.hubLost()
    expect(take(client)).toEqual([])
  })

  it('still waits for its answer after something of the hub that is none', () => {
    fromClient({ id: 1, method: 'tools/call', params: { name: 'x' } })
    for (const noAnswer of [
      { id: 1, method: 1 },
      { id: 1.5, result: {} },
      { id: null, result: {} },
    ])
      fromHub(noAnswer)
    expect(take(client)).toEqual([])
    expect(relay.owesAnswers).toBe(true)
    fromHub({ id: 1, result: {} })
    expect(take(client)).toMatchObject([{ id: 1, result: {} }])
  })

  it('is told the id of a message that is too long', () => {
    const tail = Buffer.from('"}},"jsonrpc":"2.0","id":77}\n')
    relay.fromClient({ kind: 'too_long', head: Buffer.from('{"method":"tools/call"'), tail })
    expect(take(client)).toMatchObject([{ id: 77, error: { code: -32600 } }])
  })
})

it('asks the next hub for a handshake that the last one did not answer', () => {
  relay.hubAttached()
  fromClient({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } })
  relay.hubLost()
  take(hub)
  relay.hubAttached()
  expect(take(hub)).toMatchObject([{ id: 0, method: 'initialize' }])
  fromHub({ id: 0, result: { protocolVersion: '2025-11-25' } })
  expect(take(client)).toMatchObject([{ id: 0 }])
})

describe('a modern client', () => {
  const stamp = { 'io.modelcontextprotocol/subscriptionId': 'l' }
  const acknowledged = {
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: stamp, notifications: {} },
  }

  it('keeps its listen stream, and hears on it that lists may have changed', () => {
    relay.hubAttached()
    fromClient({ id: 'l', method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } })
    fromHub(acknowledged)
    expect(take(client)).toMatchObject([acknowledged])
    expect(relay.owesAnswers).toBe(false)
    relay.hubLost()
    expect(take(client)).toEqual([])
    take(hub)
    relay.hubAttached()
    expect(take(hub)).toMatchObject([{ id: 'l', method: 'subscriptions/listen' }])
    fromHub(acknowledged)
    expect(take(client)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: stamp } },
    ])
  })

  it('may end its listen stream', () => {
    relay.hubAttached()
    fromClient({ id: 'l', method: 'subscriptions/listen', params: {} })
    fromClient({ method: 'notifications/cancelled', params: { requestId: 'l' } })
    relay.hubLost()
    take(hub)
    relay.hubAttached()
    expect(hub).toEqual([])
  })
})

describe('a client that the hub wants no more of', () => {
  const refusal = { code: 'unauthorized', message: 'The token has ended.' }
  const ended = (id: unknown, more: string) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32000, message: `The token has ended.${more}`, data: { code: 'unauthorized', retryable: false } },
  })

  it('hears so for all that is open, and for all that it still asks for', () => {
    handshake()
    fromHub({ id: 9, method: 'elicitation/create' })
    fromClient({ id: 1, method: 'tools/call' })
    fromClient({ id: 2, method: 'tools/list' })
    fromClient({ id: 3, method: 'subscriptions/listen' })
    take(client)
    relay.fromHub({ kind: 'line', bytes: Buffer.from(JSON.stringify({ callboard: 1, error: refusal })) })
    expect([dismissed, take(client)]).toEqual([[refusal], []])
    relay.refuse(refusal)
    expect(take(client)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9, reason: refusal.message } },
      ended(1, ' Whether this call took effect is unknown.'),
      ended(2, ' Nothing was started.'),
      ended(3, ''),
    ])
    relay.hubLost()
    take(hub)
    fromClient({ id: 4, method: 'tools/call' })
    fromClient({ method: 'notifications/roots/list_changed' })
    expect([take(client), take(hub)]).toEqual([[ended(4, ' Nothing was started.')], []])
    expect([relay.isAway, relay.owesAnswers, relay.hasWaiting]).toEqual([false, false, false])
  })

  it('before it was in, hears so for what waited', () => {
    fromClient({ id: 1, method: 'initialize' })
    relay.refuse(refusal)
    expect(take(client)).toEqual([ended(1, ' Nothing was started.')])
  })
})

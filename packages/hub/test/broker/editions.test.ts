import { describe, expect, it } from 'vitest'
import { type ScenarioHub, type ScenarioWorker, scenario, tool, tools, type WorkerSetup } from './scenario.js'

const v1 = { version: '1.0.0', definitions: tools('greet', 'old'), concurrency: 4 }
const v2 = { version: '2.0.0', definitions: tools('greet', 'new'), concurrency: 4 }
const greeter = (hub: ScenarioHub, setup: WorkerSetup): ScenarioWorker => hub.worker('greeter', setup)
const listOf = (hub: ScenarioHub) => hub.agent('reader').tools

describe('a newer version beside the one in force [CB-23]', () => {
  it('serves what is the same at once, and nothing else of its own', () => {
    const hub = scenario()
    greeter(hub, v1)
    const canary = greeter(hub, v2)
    const agent = hub.agent()
    expect(agent.tools).toEqual(['greet', 'old'])
    for (let count = 0; count < 2; count++) agent.call('greet')
    agent.call('old')
    expect(canary.takeAll().map((each) => each.type === 'request' && each.name)).toEqual(['greet'])
    expect(agent.call('new').outcome).toBe('unknown')
  })

  it('takes over when it has stayed for half a minute', () => {
    const hub = scenario()
    greeter(hub, v1)
    greeter(hub, v2)
    hub.advance(29_999)
    expect(listOf(hub)).toEqual(['greet', 'old'])
    hub.advance(1)
    expect(listOf(hub)).toEqual(['greet', 'new'])
    expect(hub.log).toContain('edition_in_force greeter')
  })

  it('does not take over when it crashes again and again: the list never changes', () => {
    const hub = scenario()
    greeter(hub, v1)
    for (let life = 0; life < 10; life++) {
      const canary = greeter(hub, v2)
      hub.advance(25_000)
      canary.die()
      expect(listOf(hub)).toEqual(['greet', 'old'])
    }
    expect(hub.log.filter((line) => line.startsWith('edition_in_force'))).toEqual([])
  })

  it('does not take over while it hangs, and not before it has gone on for half a minute', () => {
    const hub = scenario()
    greeter(hub, v1)
    const canary = greeter(hub, v2)
    canary.beats = false
    hub.advance(40_000)
    expect(listOf(hub)).toEqual(['greet', 'old'])
    canary.beats = true
    canary.beat()
    hub.advance(29_999)
    expect(listOf(hub)).toEqual(['greet', 'old'])
    hub.advance(1)
    expect(listOf(hub)).toEqual(['greet', 'new'])
  })

  it('takes over at once when the last of the old ones drains, and has what waited', () => {
    const hub = scenario()
    const old = greeter(hub, { ...v1, definitions: tools(tool('greet', { title: 'old' })), concurrency: 1 })
    const recent = greeter(hub, { ...v2, definitions: tools(tool('greet', { title: 'new' })) })
    const agent = hub.agent()
    agent.call('greet')
    const waiting = agent.call('greet')
    expect(recent.received).toEqual([])
    old.drain()
    recent.respond(recent.request())
    expect(waiting.outcome).toBe('result "done"')
  })

  it('stays behind while any of the old ones stays', () => {
    const hub = scenario()
    const [first, second] = [greeter(hub, v1), greeter(hub, v1)]
    greeter(hub, v2)
    first.drain()
    expect(listOf(hub)).toEqual(['greet', 'old'])
    second.drain()
    expect(listOf(hub)).toEqual(['greet', 'new'])
  })
})

describe('the edition in force', () => {
  it('stays for a crashed worker that is back within 5 s', () => {
    const hub = scenario()
    const recent = greeter(hub, v2)
    greeter(hub, v1)
    recent.die()
    hub.advance(4_999)
    expect(listOf(hub)).toEqual(['greet', 'new'])
    greeter(hub, v2)
    hub.advance(60_000)
    expect(listOf(hub)).toEqual(['greet', 'new'])
    expect(hub.log.filter((line) => line.startsWith('edition_in_force'))).toEqual([])
  })

  it('gives way after that to what is there', () => {
    const hub = scenario()
    const recent = greeter(hub, v2)
    greeter(hub, v1)
    recent.die()
    hub.advance(5_000)
    expect(listOf(hub)).toEqual(['greet', 'old'])
  })

  it('gives way at once when its worker said goodbye', () => {
    const hub = scenario()
    const recent = greeter(hub, v2)
    greeter(hub, v1)
    recent.bye()
    expect(listOf(hub)).toEqual(['greet', 'old'])
  })

  it('does not outlive a single worker: what comes next is in force', () => {
    const hub = scenario()
    greeter(hub, v2).die()
    greeter(hub, v1)
    expect(listOf(hub)).toEqual(['greet', 'old'])
  })

  it('is that of the earliest sign-in among replicas of one version, and the others never push it aside', () => {
    const hub = scenario()
    greeter(hub, { definitions: tools('first') })
    greeter(hub, { definitions: tools('second') })
    hub.advance(120_000)
    expect(listOf(hub)).toEqual(['first'])
  })

  it('goes along with the worker that leads it', () => {
    const hub = scenario()
    const [lead, other] = [greeter(hub, v1), greeter(hub, v1)]
    other.update(tools('greet', 'other'))
    expect(listOf(hub)).toEqual(['greet', 'old'])
    hub.advance(1_000)
    lead.update(tools('greet', 'led'))
    expect(listOf(hub)).toEqual(['greet', 'led'])
  })
})

describe('a definition that a replica has otherwise', () => {
  it('is asked of those only that have it as it is in force', () => {
    const hub = scenario()
    const lead = greeter(hub, { definitions: tools('greet'), concurrency: 4 })
    const drifted = greeter(hub, { definitions: tools(tool('greet', { description: 'other' })), concurrency: 4 })
    for (let count = 0; count < 3; count++) hub.agent().call('greet')
    expect([lead.received.length, drifted.received.length]).toEqual([3, 0])
  })
})

it('a worker that leaves does not stay in the way of its successor by a change of its tools on the way out', () => {
  const hub = scenario()
  const old = hub.worker('greeter', { definitions: tools('greet', 'wave') })
  const agent = hub.agent()
  old.drain()
  old.update(tools('greet'))
  const successor = hub.worker('greeter', { definitions: tools('greet', 'wave', 'nod') })
  const call = agent.call('nod')
  successor.respond(successor.request())
  expect(call.outcome).toBe('result "done"')
})

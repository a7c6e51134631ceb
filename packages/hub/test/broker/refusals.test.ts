import { describe, expect, it } from 'vitest'
import { parsed, type ScenarioHub, scenario, tool, tools } from './scenario.js'

/** What the snapshot says of the workers of a service: `name: why`. */
const refusedOf = (hub: ScenarioHub, service: string) =>
  hub.snapshot.workers
    .filter((worker) => worker.service === service)
    .map(({ refused }) => refused.map(({ name, message }) => `${name}: ${message}`))

const isAway = 'a1: a1 belongs to w, which is away since 2023-11-14T22:13Z; free its names with "callboard forget w"'
const isThere = 'a1: a1 belongs to w; rename it, or set "namespace": "always"'

describe('why a name is refused [CB-22]', () => {
  it('says since when its holder is away and what helps: to the worker, in the snapshot and in the log', () => {
    const hub = scenario()
    hub.worker('w', { definitions: tools('a1') }).die()
    hub.advance(3_600_000)
    const { refused } = parsed(hub.stranger('x', { definitions: tools('a1') }).signIn().body) as {
      refused: { message: string }[]
    }
    expect(refused.map(({ message }) => `a1: ${message}`)).toEqual([isAway])
    expect(refusedOf(hub, 'x')).toEqual([[isAway]])
    expect(hub.notices.at(-1)).toMatchObject({ kind: 'worker_joined', service: 'x', refused: [isAway] })
  })

  it('is told as it is now: the holder comes and goes', () => {
    const hub = scenario()
    const holder = hub.worker('w', { definitions: tools('a1') })
    hub.worker('x', { definitions: tools('a1') })
    expect(refusedOf(hub, 'x')).toEqual([[isThere]])
    holder.die()
    expect(refusedOf(hub, 'x')).toEqual([[isAway]])
    hub.worker('w', { definitions: tools('a1') })
    expect(refusedOf(hub, 'x')).toEqual([[isThere]])
  })

  it('is that it is free, once its holder has given it up', () => {
    const hub = scenario()
    const holder = hub.worker('w', { definitions: tools('a1', 'a2') })
    const other = hub.worker('x', { definitions: tools('a1') })
    holder.update(tools('a2'))
    expect(refusedOf(hub, 'x')).toEqual([[expect.stringContaining('a1 belonged to w and is free now')]])
    hub.advance(1_000)
    other.update(tools('a1'))
    expect(refusedOf(hub, 'x')).toEqual([[]])
  })

  it('is told of a name that a trusted service took later', () => {
    const hub = scenario()
    hub.worker('squatter', { definitions: tools('weave_eval', 'mine') })
    hub.worker('kernel', { definitions: tools('weave_eval'), trusted: true })
    expect(refusedOf(hub, 'squatter')).toEqual([[expect.stringMatching(/^weave_eval: weave_eval belongs to kernel;/)]])
  })
})

describe('what only one version of a service has [CB-23]', () => {
  it('is refused no more when that version is the listed one', () => {
    const hub = scenario()
    const old = hub.worker('w', { definitions: tools('d1') })
    hub.worker('w', { definitions: tools('d2') })
    const why = /^d2: version 1\.0\.0 of this service is in force and has no such tool/
    expect(refusedOf(hub, 'w')).toEqual([[], [expect.stringMatching(why)]])
    old.bye()
    expect(hub.agent().tools).toEqual(['d2'])
    expect(refusedOf(hub, 'w')).toEqual([[]])
  })

  it('says so of a definition that is in force otherwise', () => {
    const hub = scenario()
    hub.worker('w', { definitions: tools('d1') })
    hub.worker('w', { definitions: tools(tool('d1', { description: 'another' })) })
    const why = /^d1: version 1\.0\.0 of this service is in force and has another definition of this tool/
    expect(refusedOf(hub, 'w')).toEqual([[], [expect.stringMatching(why)]])
  })

  it('is refused from the moment that another is listed', () => {
    const hub = scenario()
    hub.worker('w', { definitions: tools('d1') })
    hub.worker('w', { version: '2.0.0', definitions: tools('d2') })
    hub.advance(30_000)
    expect(refusedOf(hub, 'w')).toEqual([
      [expect.stringMatching(/^d1: version 2\.0\.0 of this service is in force/)],
      [],
    ])
  })
})

describe('a service that is away', () => {
  it('is shown with the time since when, and until when it is kept', () => {
    const hub = scenario()
    const worker = hub.worker('w')
    expect(hub.snapshot.services).toMatchObject([{ isServed: true }])
    expect(hub.snapshot.services[0]).not.toHaveProperty('away')
    worker.die()
    const since = hub.now
    hub.advance(60_000)
    const keptUntil = since + 7 * 24 * 3_600_000
    expect(hub.snapshot.services).toMatchObject([{ isServed: false, away: { since, keptUntil } }])
  })

  it('was there at the latest when the hub started, whatever the kept catalogue says', () => {
    const former = scenario()
    former.worker('w', { definitions: tools('a1') }).die()
    former.advance(10)
    const hub = scenario()
    const services = former.kept.at(-1)!.map((service) => ({ ...service, lastSeenAt: 1e300 }))
    hub.step({ type: 'catalogue_restored', services })
    hub.worker('x', { definitions: tools('a1') })
    expect(hub.snapshot.services).toMatchObject([{ service: 'w', away: { since: hub.now } }, { service: 'x' }])
    expect(refusedOf(hub, 'x')).toEqual([[isAway]])
  })

  it('is forgotten at once: lists change, and the next start does not know it', () => {
    const hub = scenario()
    hub.worker('w', { definitions: tools('a1') }).die()
    const agent = hub.agent()
    hub.advance(10)
    agent.heard = []
    hub.step({ type: 'forget', service: 'w' })
    expect(agent.tools).toEqual([])
    hub.advance(10)
    expect(agent.heard).toEqual(['tools changed'])
    expect(hub.snapshot.services).toEqual([])
    expect(hub.kept.at(-1)).toEqual([])
    expect(agent.call('a1').outcome).toBe('unknown')
  })

  it('leaves its names to the workers that were refused them, in the order in which they came', () => {
    const hub = scenario()
    hub.worker('w', { definitions: { ...tools('a1', 'a2'), resources: [{ uri: 'note://7', name: 'seven' }] } }).die()
    const heir = hub.worker('x', {
      definitions: { ...tools('a1', 'own'), resources: [{ uri: 'note://7', name: 'seven' }] },
    })
    hub.worker('y', { definitions: tools('a1', 'a2') })
    const agent = hub.agent()
    agent.subscribe('note://7')
    heir.takeAll()
    hub.step({ type: 'forget', service: 'w' })
    expect(agent.tools).toEqual(['a1', 'own', 'a2'])
    expect(refusedOf(hub, 'x')).toEqual([[]])
    expect(refusedOf(hub, 'y')).toEqual([['a1: a1 belongs to x; rename it, or set "namespace": "always"']])
    expect(heir.take('subscribe').uri).toBe('note://7')
    agent.call('a1')
    expect(heir.request().name).toBe('a1')
  })

  it('ends what waits for it as before, and may come back as a new one', () => {
    const hub = scenario()
    hub.worker('w', { definitions: tools('a1') }).die()
    const waiting = hub.agent().call('a1')
    hub.step({ type: 'forget', service: 'w' })
    expect(waiting.outcome).toBe('open')
    hub.advance(5_000)
    expect(waiting.outcome).toBe('unavailable')
    hub.worker('w', { definitions: tools('a1') })
    expect(hub.agent('other').tools).toEqual(['a1'])
  })

  it('is the only one that can be forgotten', () => {
    const hub = scenario()
    hub.worker('w', { definitions: tools('a1') })
    hub.step({ type: 'forget', service: 'w' })
    hub.step({ type: 'forget', service: 'nobody' })
    expect(hub.agent().tools).toEqual(['a1'])
    expect(['w', 'nobody'].map((service) => hub.broker.stateOf(service))).toEqual(['ready', undefined])
  })
})

import { describe, expect, it } from 'vitest'
import { policyOf } from '../policy/read.js'
import { json, type ScenarioHub, scenario, tool, tools } from './scenario.js'

const journal = { refuses: () => false }
const told = (hub: ScenarioHub) => hub.records.map((record) => [record.tool, record.outcome, record.isError])

describe('what a journal is told of calls', () => {
  it('is nothing where there is none', () => {
    const hub = scenario()
    const worker = hub.worker('notes', { definitions: tools('read') })
    hub.agent().call('read')
    worker.respond(worker.request())
    expect(hub.records).toEqual([])
  })

  it('is each once, at its end, with its caller, its bytes, its worker and how it ended', () => {
    const hub = scenario({ audit: journal })
    const worker = hub.worker('notes', { definitions: tools('read') })
    const agent = hub.agent('ada')
    agent.call('read', { body: json({ arguments: { id: 7 } }) })
    const request = worker.request()
    expect(hub.records).toEqual([])
    hub.advance(40)
    worker.respond(request, 'no', true)
    expect(hub.records).toMatchObject([
      {
        id: request.id,
        service: 'notes',
        tool: 'read',
        body: json({ arguments: { id: 7 } }),
        caller: { principal: 'agent:ada', depth: 0 },
        outcome: 'tool_error',
        isError: true,
        durationMs: 40,
        key: undefined,
        parent: undefined,
      },
    ])
    expect(hub.records[0]?.worker).toBeTypeOf('string')
  })

  it('names the worker that was lost with it', () => {
    const hub = scenario({ audit: journal })
    const worker = hub.worker('notes', { definitions: tools('write') })
    hub.agent().call('write')
    worker.request()
    worker.die()
    expect(told(hub)).toEqual([['write', 'outcome_unknown', true]])
    expect(hub.records[0]?.worker).toBeTypeOf('string')
  })

  it('has what does not exist, and what the policy refuses', () => {
    const hub = scenario({ audit: journal })
    hub.worker('notes', { definitions: tools('read', 'write') })
    hub.step({
      type: 'policy_changed',
      policy: policyOf({ rules: [{ who: ['*'], do: 'show', tools: ['write'], audit: 'none' }] }),
    })
    const agent = hub.agent()
    expect(agent.call('never was').outcome).toBe('unknown')
    expect(agent.call('write').outcome).toBe('forbidden')
    expect(told(hub)).toEqual([
      ['never was', 'unknown', true],
      ['write', 'forbidden', true],
    ])
    expect(hub.records.at(-1)?.audit).toEqual({ kind: 'none' })
  })

  it('says of a nested call which call it was made in, and for whom', () => {
    const hub = scenario({ audit: journal })
    const worker = hub.worker('outer', { definitions: tools('ask') })
    const helper = hub.worker('inner', { definitions: tools('help') })
    hub.agent('ada').call('ask')
    const request = worker.request()
    worker.call('help', { parent: request.id })
    helper.respond(helper.request())
    worker.call('nothing', { parent: request.id })
    expect(hub.records).toMatchObject([
      { tool: 'help', parent: request.id, caller: { principal: 'worker:outer', onBehalfOf: 'agent:ada', depth: 1 } },
      { tool: 'nothing', parent: request.id, outcome: 'unknown', caller: { onBehalfOf: 'agent:ada' } },
    ])
    worker.respond(request)
    expect(hub.records).toHaveLength(3)
  })

  it('is what a person answered, before the call ends', () => {
    const hub = scenario({ audit: journal })
    const worker = hub.worker('notes', { definitions: tools('write') })
    const agent = hub.agent()
    const call = agent.call('write')
    const request = worker.request()
    worker.ask(request)
    agent.resume(call)
    expect(hub.answered).toEqual([request.id])
    expect(hub.records).toEqual([])
    worker.respond(request)
    expect(told(hub)).toEqual([['write', 'result', false]])
  })

  it('has how the policy wants its arguments recorded, also of a nested call', () => {
    const hub = scenario({ audit: journal })
    const worker = hub.worker('outer', { definitions: tools('ask') })
    const helper = hub.worker('inner', { definitions: tools('help') })
    const rules = [
      { who: ['worker:outer'], do: 'call', tools: ['help'], audit: 'none' },
      { who: ['agent:ada'], do: 'call', audit: 'full' },
    ]
    hub.step({ type: 'policy_changed', policy: policyOf({ rules }) })
    hub.agent('ada').call('ask')
    const request = worker.request()
    worker.call('help', { parent: request.id })
    helper.respond(helper.request())
    worker.respond(request)
    expect(hub.records.map((each) => [each.tool, each.audit])).toEqual([
      ['help', { kind: 'none' }],
      ['ask', { kind: 'full' }],
    ])
  })

  it('has it also of a nested call that the policy refuses, by the rule that names its worker or whom it is for', () => {
    const hub = scenario({ audit: journal })
    const worker = hub.worker('outer', { definitions: tools('ask') })
    hub.worker('inner', { definitions: tools('look', 'write', 'hidden') })
    const rules = [
      { who: ['worker:outer'], do: 'show', tools: ['look'], audit: 'none' },
      { who: ['agent:ada'], do: 'show', tools: ['look', 'write'], audit: { redact: ['text'] } },
      { who: ['agent:ada'], do: 'hide', tools: ['hidden'] },
    ]
    hub.step({ type: 'policy_changed', policy: policyOf({ rules, audit: 'full' }) })
    hub.agent('ada').call('ask')
    const request = worker.request()
    for (const name of ['look', 'write', 'hidden']) worker.call(name, { parent: request.id })
    worker.takeAll()
    worker.respond(request)
    expect(hub.records.map((each) => [each.tool, each.service, each.outcome, each.audit])).toEqual([
      ['look', 'inner', 'forbidden', { kind: 'none' }],
      ['write', 'inner', 'forbidden', { kind: 'redacted', keys: ['text'], pointers: [] }],
      ['hidden', '', 'unknown', undefined],
      ['ask', 'outer', 'result', { kind: 'full' }],
    ])
    expect(hub.records.slice(0, 3)).toMatchObject(
      Array(3).fill({ parent: request.id, caller: { depth: 1 }, decides: false }),
    )
  })

  it('of what is read it has how the rule about its own URI wants it', () => {
    const hub = scenario({ audit: journal })
    const worker = hub.worker('notes', {
      definitions: { resourceTemplates: [{ uriTemplate: 'log:///{day}', name: 'log' }] },
    })
    const rules = [
      { who: ['*'], do: 'show', resources: ['log:///private*'], audit: 'none' },
      { who: ['*'], do: 'call', resources: ['log:///monday'], audit: 'full' },
    ]
    hub.step({ type: 'policy_changed', policy: policyOf({ rules, audit: 'hash' }) })
    const agent = hub.agent()
    const read = (uri: string) => agent.call(uri, { method: 'resources/read' })
    read('log:///private-1')
    for (const uri of ['log:///monday', 'log:///friday']) {
      read(uri)
      worker.respond(worker.request())
    }
    expect(hub.records.map((each) => [each.tool, each.audit?.kind])).toEqual([
      ['log:///private-1', 'none'],
      ['log:///monday', 'full'],
      ['log:///friday', 'hash'],
    ])
  })

  it('is whether to call was to decide: where only operators see the tool', () => {
    const hub = scenario({ audit: journal })
    const seenBy = (name: string, ...roles: string[]) => tool(name, { _meta: { 'callboard/roles': roles } })
    const definitions = tools(seenBy('approve', 'operator'), seenBy('look', 'operator', 'agent'), 'read')
    const worker = hub.worker('social', { definitions })
    const operator = hub.agent('boss', { roles: ['agent', 'operator'] })
    for (const name of ['approve', 'look', 'read']) {
      operator.call(name)
      worker.respond(worker.request())
    }
    expect(hub.records.map((each) => [each.tool, each.decides])).toEqual([
      ['approve', true],
      ['look', false],
      ['read', false],
    ])
  })

  it('refuses what may not begin because it could not be written down', () => {
    const hub = scenario({ audit: { refuses: () => true } })
    hub.worker('notes', { definitions: tools('read') })
    expect(hub.agent().call('read').outcome).toBe('unavailable')
  })
})

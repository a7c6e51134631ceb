import { describe, expect, it } from 'vitest'
import { scenario, tool, tools } from './scenario.js'

/** Two sessions of one principal, and a worker that has two tools. */
function ada() {
  const hub = scenario()
  const worker = hub.worker('greeter', { definitions: tools('greet', 'wave') })
  const [desk, phone] = ['desk', 'phone'].map((name) => hub.agent(name, { principal: 'agent:ada' }))
  const quiet = () => {
    hub.advance(10)
    for (const each of hub.agents) {
      each.heard = []
      each.heardAsModern = []
    }
  }
  for (const agent of [desk!, phone!]) {
    agent.call('greet')
    worker.respond(worker.request())
  }
  quiet()
  return { hub, worker, desk: desk!, phone: phone!, quiet }
}

describe('a modern list [CB-26]', () => {
  it('does not vary by connection: it has what any live session of the principal sees', () => {
    const { worker, desk, phone } = ada()
    worker.show('session of desk', { hiddenTools: ['wave'] })
    expect([desk.tools, phone.tools]).toEqual([['greet'], ['greet', 'wave']])
    expect([desk.modernTools, phone.modernTools]).toEqual([
      ['greet', 'wave'],
      ['greet', 'wave'],
    ])
    worker.show('session of phone', { hiddenTools: ['wave', 'greet'] })
    expect([desk.modernTools, phone.modernTools]).toEqual([['greet'], ['greet']])
  })

  it('is not touched by what another principal does not see', () => {
    const { hub, worker, desk } = ada()
    const bob = hub.agent('bob')
    bob.call('greet')
    worker.respond(worker.request())
    worker.show('session of bob', { hiddenTools: ['wave'] })
    expect([bob.modernTools, desk.modernTools]).toEqual([['greet'], ['greet', 'wave']])
  })

  it('has no more for a connection than its own roles see', () => {
    const { hub } = ada()
    hub.worker('panel', { definitions: tools(tool('approve', { _meta: { 'callboard/roles': ['operator'] } })) })
    const boss = hub.agent('desk', { principal: 'agent:ada', roles: ['agent', 'operator'] })
    expect(boss.modernTools).toContain('approve')
    expect(hub.agent('phone', { principal: 'agent:ada' }).modernTools).not.toContain('approve')
  })

  it('is made once while nothing changes, also where something is hidden', () => {
    const { hub, worker, desk, phone } = ada()
    for (const name of ['desk', 'phone']) worker.show(`session of ${name}`, { hiddenTools: ['wave'] })
    const list = hub.broker.list('tool', desk.identity, 'principal')
    expect(hub.broker.list('tool', phone.identity, 'principal')).toBe(list)
    const own = hub.broker.list('tool', desk.identity, 'session')
    expect(hub.broker.list('tool', desk.identity, 'session')).toBe(own)
    worker.show('session of desk', {})
    expect(hub.broker.list('tool', desk.identity, 'session')).not.toBe(own)
  })

  it('leads to the worker also where this session does not see the tool', () => {
    const { worker, desk } = ada()
    worker.show('session of desk', { hiddenTools: ['wave'] })
    desk.call('wave')
    expect(worker.request().name).toBe('wave')
  })
})

describe('list_changed', () => {
  it('goes to the session for its own list, to the principal for the union', () => {
    const { hub, worker, desk, phone, quiet } = ada()
    worker.show('session of desk', { hiddenTools: ['wave'] })
    hub.advance(10)
    expect([desk.heard, phone.heard]).toEqual([['tools changed'], []])
    expect([desk.heardAsModern, phone.heardAsModern]).toEqual([[], []])
    quiet()
    worker.show('session of phone', { hiddenTools: ['wave'] })
    hub.advance(10)
    expect([desk.heard, phone.heard]).toEqual([[], ['tools changed']])
    expect([desk.heardAsModern, phone.heardAsModern]).toEqual([['tools changed'], ['tools changed']])
  })

  it('reaches the principal when a session begins that sees more', () => {
    const { hub, worker, desk, phone, quiet } = ada()
    for (const name of ['desk', 'phone']) worker.show(`session of ${name}`, { hiddenTools: ['wave'] })
    quiet()
    hub.agent('tablet', { principal: 'agent:ada' })
    hub.advance(10)
    expect([desk.heardAsModern, phone.heardAsModern]).toEqual([['tools changed'], ['tools changed']])
    expect([desk.heard, desk.modernTools]).toEqual([[], ['greet', 'wave']])
  })

  it('reaches the principal when the session ends that saw more', () => {
    const { hub, worker, desk, phone, quiet } = ada()
    worker.show('session of desk', { hiddenTools: ['wave'] })
    quiet()
    phone.close()
    hub.advance(10_020)
    expect([desk.heard, desk.heardAsModern]).toEqual([[], ['tools changed']])
    expect(desk.modernTools).toEqual(['greet'])
  })

  it('is not sent for a change that is hidden from whoever it is about', () => {
    const { hub, worker, desk, phone, quiet } = ada()
    worker.show('session of desk', { hiddenTools: ['wave'] })
    quiet()
    worker.update(tools('greet', tool('wave', { title: 'Wave' })))
    hub.advance(300)
    expect([desk.heard, phone.heard]).toEqual([[], ['tools changed']])
    expect(desk.heardAsModern).toEqual(['tools changed'])
  })

  it('is not sent for a hidden name that nobody offers', () => {
    const { hub, worker, desk } = ada()
    worker.show('session of desk', { hiddenTools: ['nothing'] })
    hub.advance(10)
    expect([desk.heard, desk.heardAsModern]).toEqual([[], []])
  })

  it('is sent once for all that happens within 10 ms', () => {
    const { hub, worker, desk } = ada()
    worker.show('session of desk', { hiddenTools: ['wave'] })
    hub.worker('other', { definitions: tools('post') })
    worker.show('session of desk', {})
    hub.advance(10)
    expect([desk.heard, desk.heardAsModern]).toEqual([['tools changed'], ['tools changed']])
  })

  it('is worked out once for all that see the same: 2,000 sessions, 2,000 new definitions', () => {
    const hub = scenario()
    const agents = Array.from({ length: 2_000 }, (_, index) => hub.agent(`agent-${index}`))
    hub.worker('large', { definitions: tools(...Array.from({ length: 2_000 }, (_, index) => `tool-${index}`)) })
    hub.advance(10)
    expect(agents.every(({ heard, heardAsModern }) => heard.length === 1 && heardAsModern.length === 1)).toBe(true)
  })
})

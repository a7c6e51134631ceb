import type { Context } from '@callboard/worker'
import { describe, expect, it } from 'vitest'
import { actorOf } from '../../src/tools/actor-of.js'
import { testGroups } from '../support/test-foundation.js'

const groups = testGroups([{ folder: 'main', isAdmin: true }, { folder: 'lab' }, { folder: 'boss', tag: 'admin' }])

const caller = (more: Partial<Context['caller']>): Context['caller'] => ({
  session: 's',
  principal: 'agent:ada',
  roles: ['agent'],
  depth: 0,
  ...more,
})
const actor = (more: Partial<Context['caller']>) => actorOf(caller(more), groups)

describe('who calls', () => {
  it('is the group that the hub says, with the rights that the groups file says', () => {
    expect(actor({ group: 'lab' })).toEqual({
      principal: 'agent:ada',
      group: groups.byFolder('lab'),
      isAdmin: false,
      isOperator: false,
      triggerDepth: 0,
    })
    expect(actor({ group: 'main' }).isAdmin).toBe(true)
  })

  it('is no admin by a name', () => {
    expect(actor({ group: 'boss' }).isAdmin).toBe(false)
    expect(actor({ group: 'lab', principal: 'agent:main' }).isAdmin).toBe(false)
    expect(actor({ group: 'lab', principal: 'operator:local' })).toMatchObject({ isAdmin: false, isOperator: false })
  })

  it('is nobody without a registered group, also by another case or a tag', () => {
    for (const group of [undefined, 'unknown', 'MAIN', 'admin', '../main', '']) {
      const call = () => actor(group === undefined ? {} : { group })
      expect(call).toThrow(expect.objectContaining({ code: 'FORBIDDEN', retryable: false }))
      expect(call).toThrow(expect.objectContaining({ details: { hint: expect.stringContaining('operator') } }))
    }
  })

  it('is the admin group for an operator without one', () => {
    expect(actor({ principal: 'operator:local', roles: ['agent', 'operator'] })).toMatchObject({
      principal: 'operator:local',
      group: { folder: 'main' },
      isAdmin: true,
      isOperator: true,
    })
    expect(actor({ roles: ['operator'], group: 'lab' })).toMatchObject({ isAdmin: false, isOperator: true })
    expect(() => actor({ roles: ['operator'], group: 'unknown' })).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN' }),
    )
  })

  it('is the root of a nested call, never the worker in between', () => {
    const nested = actor({ principal: 'worker:kernel', onBehalfOf: 'agent:ada', group: 'lab', depth: 3 })
    expect(nested).toMatchObject({ principal: 'agent:ada', triggerDepth: 0 })
  })

  it('has the depth of its run, whatever depth the call has', () => {
    const run = { id: 'run_1', attempt: 2, triggerDepth: 3 }
    expect(actor({ group: 'lab', run, depth: 7 })).toMatchObject({ run: { id: 'run_1', attempt: 2 }, triggerDepth: 3 })
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as limits from '../../../src/mcp/tasks/limits.js'
import type { Task } from '../../../src/mcp/tasks/task.js'
import { type TaskCall, Tasks } from '../../../src/mcp/tasks/tasks.js'
import type { AgentCall, CallOutcome } from '../../../src/port.js'
import { FakeHub, identity, json, type Loose, silent, text, untilAborted } from '../fake-hub.js'

const question = { method: 'elicitation/create', params: {} }
const asking: CallOutcome = { kind: 'input_required', id: 'call-1', body: json({ inputRequests: { a: question } }) }

describe('Tasks', () => {
  let hub: FakeHub
  let now: number
  let tasks: Tasks

  beforeEach(() => {
    hub = new FakeHub()
    now = 1_000_000
    tasks = new Tasks({ hub, log: silent, now: () => now })
    hub.tool('slow', ({ signal }) => untilAborted(signal))
    hub.tool('ask', () => asking)
  })
  afterEach(() => tasks.close())

  const start = async (name: string, more: Partial<TaskCall> = {}): Promise<{ task: Task; call: AgentCall }> => {
    const body = json({ name })
    const called = hub.next('call')
    const task = tasks.start({
      identity,
      request: { method: 'tools/call', name, body: Buffer.from(body) },
      client: { generation: 'legacy', input: ['form'], progress: false },
      audience: { changed: () => {}, progress: () => {}, logged: () => {} },
      ...more,
    })!
    return { task, call: (await called) as AgentCall }
  }
  const until = async (task: Task, kind: Task['state']['kind']): Promise<Task> => {
    for (;;) {
      const current = tasks.find(identity, task.id)!
      if (current.state.kind === kind) return current
      await tasks.change(task, new AbortController().signal)
    }
  }
  const outcomeOf = ({ state }: Task): Loose => (state as Loose).outcome

  it('holds a connection of its own while the call runs, and no longer', async () => {
    const { task } = await start('slow')
    expect(hub.live).toHaveLength(1)
    const closed = hub.next('close')
    tasks.cancel(task, '')
    await closed
    expect(hub.live).toEqual([])
  })

  it('is cancelled when the hub lets its agent go, asking or not', async () => {
    for (const name of ['slow', 'ask']) {
      const { task, call } = await start(name)
      if (name === 'ask') await until(task, 'asking')
      hub.live[0]!.listener.ended()
      const over = await until(task, 'over')
      expect(outcomeOf(over)).toMatchObject({ failure: { code: 'cancelled' } })
      if (name === 'slow') expect(call.signal?.aborted).toBe(true)
    }
  })

  it('ends a call that is longer than its ttl, and says so while there is time to look', async () => {
    const { task, call } = await start('slow', { ttlMs: 90_000 })
    now += 89_999
    tasks.tick()
    expect(call.signal?.aborted).toBe(false)
    now += 1
    tasks.tick()
    expect(call.signal?.aborted).toBe(true)
    expect(outcomeOf(tasks.find(identity, task.id)!).failure).toMatchObject({ code: 'deadline_exceeded' })
    now += limits.fetchMs
    tasks.tick()
    expect(tasks.find(identity, task.id)).toBeUndefined()
  })

  it('goes on without an answer when nobody gives one in time', async () => {
    hub.suspended.set('call-1', (input) => text(JSON.stringify(input)))
    const { task } = await start('ask')
    await until(task, 'asking')
    now += limits.questionMs - 1
    tasks.tick()
    expect(tasks.find(identity, task.id)?.state.kind).toBe('asking')
    now += 1
    tasks.tick()
    const over = await until(task, 'over')
    expect(JSON.parse(outcomeOf(over).body.toString()).content[0].text).toBe('{"inputResponses":{}}')
  })

  it('gives up a worker that asks without end', async () => {
    const resume = () => {
      hub.suspended.set('call-1', resume)
      return asking
    }
    hub.suspended.set('call-1', resume)
    const { task } = await start('ask')
    for (let round = 1; round <= 32; round++) {
      await until(task, 'asking')
      tasks.answer(task, { [`${round}.a`]: {} })
    }
    expect(outcomeOf(await until(task, 'over')).failure.message).toContain('more than 32 times')
    expect(hub.abandoned).toEqual(['call-1'])
  })

  it('lets only the latest client ask', async () => {
    const { task } = await start('ask')
    await until(task, 'asking')
    const first = tasks.claim(task)
    const second = tasks.claim(task)
    expect([first.aborted, second.aborted]).toEqual([true, false])
    tasks.answer(task, { '1.a': {} })
    expect(second.aborted).toBe(true)
    expect(tasks.claim(await until(task, 'over')).aborted).toBe(true)
  })

  it('is told of a worker that asks for nothing', async () => {
    hub.tool('odd', () => ({ kind: 'input_required', id: 'call-1', body: json({ inputRequests: {} }) }))
    const { task } = await start('odd')
    expect(outcomeOf(await until(task, 'over')).failure).toMatchObject({ code: 'cancelled' })
  })

  it('blames the hub for what breaks inside it, without its words', async () => {
    hub.tool('broken', () => {
      throw new Error('secret')
    })
    const { task } = await start('broken')
    const { failure } = outcomeOf(await until(task, 'over'))
    expect(failure.code).toBe('internal')
    expect(failure.message).not.toContain('secret')
  })

  it('ends everything with the hub, and begins nothing after', async () => {
    const { task, call } = await start('slow')
    tasks.close()
    tasks.close()
    expect(call.signal?.aborted).toBe(true)
    expect(tasks.find(identity, task.id)?.state.kind).toBe('over')
    expect(
      tasks.start({
        identity,
        request: { method: 'tools/call', name: 'slow', body: Buffer.alloc(0) },
        client: { generation: 'legacy', input: [], progress: false },
        audience: { changed: () => {}, progress: () => {}, logged: () => {} },
      }),
    ).toBeUndefined()
  })
})

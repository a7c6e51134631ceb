import { beforeEach, describe, expect, it } from 'vitest'
import type { InputRequest } from '../../../src/mcp/input-requests.js'
import * as limits from '../../../src/mcp/tasks/limits.js'
import { type FinalOutcome, ownerOf, type Task, type TaskOwner, type TaskRequest } from '../../../src/mcp/tasks/task.js'
import { TaskStore } from '../../../src/mcp/tasks/task-store.js'
import { identity, text } from '../fake-hub.js'

const main: TaskOwner = { principal: 'agent:main' }
const other: TaskOwner = { principal: 'agent:other' }
const request: TaskRequest = { method: 'tools/call', name: 'dig' }
const done = text('done') as FinalOutcome
const question: InputRequest = { method: 'elicitation/create', params: {}, kind: 'form' }

describe('TaskStore', () => {
  let now: number
  let serial: number
  let store: TaskStore

  beforeEach(() => {
    now = 1_000_000
    serial = 0
    store = new TaskStore({ now: () => now, nextId: () => `task-${++serial}` })
  })

  const create = (owner = main, ttlMs?: number): Task => store.create(owner, request, ttlMs)!
  const isThere = ({ id }: Task) => store.get(id) !== undefined

  describe('a task', () => {
    it('begins at work, with what was asked for', () => {
      expect(create(main, 90_000)).toEqual({
        id: 'task-1',
        owner: main,
        request,
        createdAt: now,
        updatedAt: now,
        ttlMs: 90_000,
        state: { kind: 'working' },
      })
    })

    it.each([
      [undefined, limits.ttlMsDefault],
      [0, limits.ttlMsMin],
      [90_000.5, 90_001],
      [Number.MAX_VALUE, limits.ttlMsMax],
    ])('that asks for a ttl of %s gets %d', (asked, given) => {
      expect(create(main, asked).ttlMs).toBe(given)
    })

    it('says when it changed, and what it does', () => {
      const { id } = create()
      now += 5
      store.note(id, 'x'.repeat(limits.messageLengthMax + 1))
      expect(store.get(id)).toMatchObject({ updatedAt: now, message: 'x'.repeat(limits.messageLengthMax) })
    })

    it('that is over stays so', () => {
      const { id } = create()
      store.finish(id, 'cancel', done, 'why')
      const over = store.get(id)
      expect(store.finish(id, 'call', done)).toBeUndefined()
      expect(store.ask(id, 'call-1', new Map())).toBeUndefined()
      expect(store.work(id)).toBeUndefined()
      store.note(id, 'still going')
      expect(store.get(id)).toEqual(over)
    })

    it('keeps its result apart from the batch in which it came', () => {
      const batch = new Uint8Array(1_000_000)
      const { id } = create()
      store.finish(id, 'call', { kind: 'error', body: batch.subarray(10, 12) })
      const { state } = store.get(id)!
      const { body } = (state as { outcome: { body: Uint8Array } }).outcome
      expect([body.byteLength, body.buffer === batch.buffer]).toEqual([2, false])
    })
  })

  describe('an owner', () => {
    it('finds its own tasks only', () => {
      const mine = create()
      const theirs = create(other)
      expect(store.find(main, mine.id)).toEqual(mine)
      expect(store.find(main, theirs.id)).toBeUndefined()
      expect(store.list(main)).toEqual([mine])
      expect(store.list(other)).toEqual([theirs])
    })

    it('is the principal, whatever its session', () => {
      expect(ownerOf({ ...identity, session: 'another' })).toEqual(ownerOf(identity))
    })

    it('is the session, where strangers are one principal', () => {
      const stranger = { ...identity, principal: 'agent:http' }
      const mine = create(ownerOf({ ...stranger, session: 'one' }))
      expect(store.find(ownerOf({ ...stranger, session: 'two' }), mine.id)).toBeUndefined()
      expect(store.find(ownerOf({ ...stranger, session: 'one' }), mine.id)).toEqual(mine)
    })

    it('that is gone leaves nothing but what still runs', () => {
      const over = create()
      store.finish(over.id, 'call', done)
      const runs = create()
      expect(store.release(main)).toEqual([runs])
      expect([isThere(over), isThere(runs)]).toEqual([false, true])
    })
  })

  describe('a question', () => {
    const two = new Map([
      ['1.a', question],
      ['1.b', question],
    ])

    it('may be answered bit by bit; nobody else is listened to', () => {
      const { id } = create()
      store.ask(id, 'call-1', two)
      expect(store.answer(id, { '1.a': 1, '1.c': 2, '0.a': 3 })).toMatchObject({ answers: { '1.a': 1 } })
      expect(store.answer(id, { '1.a': 'again' })).toMatchObject({ answers: { '1.a': 1 } })
      const last = store.answer(id, { '1.b': 2 })
      expect(last).toMatchObject({ pending: new Map(), answers: { '1.a': 1, '1.b': 2 } })
    })

    it('takes no more answers than the worker takes', () => {
      const { id } = create()
      store.ask(id, 'call-1', two)
      expect(store.answer(id, { '1.a': 'x'.repeat(limits.answersBytesMax) })).toBe('too_large')
      expect(store.answer(id, { '1.a': 'x' })).toMatchObject({ answers: { '1.a': 'x' } })
    })

    it('that nobody asks takes no answer', () => {
      expect(store.answer(create().id, { a: 1 })).toBeUndefined()
    })

    it('is overdue after its time, and the task before', () => {
      const { id } = create()
      store.ask(id, 'call-1', two)
      expect(store.nextDeadline()).toBe(now + limits.questionMs)
      now += limits.questionMs
      expect(store.overdue().unanswered.map((task) => task.id)).toEqual([id])
      store.work(id)
      expect(store.nextDeadline()).toBe(now - limits.questionMs + limits.ttlMsDefault)
    })
  })

  describe('time', () => {
    it('takes a result away at the end of its ttl, not a moment earlier', () => {
      const task = create(main, 90_000)
      store.finish(task.id, 'call', done)
      expect(store.nextDeadline()).toBe(now + 90_000)
      now += 89_999
      expect(isThere(task)).toBe(true)
      now += 1
      expect(isThere(task)).toBe(false)
      expect(store.list(main)).toEqual([])
      expect([store.overdue().running, store.size, store.nextDeadline()]).toEqual([[], 0, undefined])
    })

    it('takes away nothing that runs, but names it', () => {
      const task = create(main, 90_000)
      now += 90_000
      expect(isThere(task)).toBe(true)
      expect(store.overdue().running).toEqual([task])
    })

    it('leaves a while to fetch a result that came late', () => {
      const task = create(main, 90_000)
      now += 89_999
      store.finish(task.id, 'call', done)
      expect(store.get(task.id)?.ttlMs).toBe(89_999 + limits.fetchMs)
      now += limits.fetchMs - 1
      expect(isThere(task)).toBe(true)
    })
  })

  describe('room', () => {
    const runningMax = limits.keptBytesPerPrincipalMax / limits.resultBytesMax

    it('is limited for each principal, so that one leaves enough for the others', () => {
      for (let n = 0; n < runningMax; n++) create()
      expect(store.create(main, request)).toBeUndefined()
      expect(store.create({ ...main, session: 's' }, request)).toBeUndefined()
      expect(store.create(other, request)).toBeDefined()
    })

    it('is limited for all together', () => {
      const principals = limits.keptBytesMax / limits.keptBytesPerPrincipalMax
      for (let p = 0; p < principals; p++) for (let n = 0; n < runningMax; n++) create({ principal: `agent:${p}` })
      expect(store.create(other, request)).toBeUndefined()
    })

    it('is limited in tasks, however small their results', () => {
      for (let n = 0; n < limits.tasksPerPrincipalMax; n++) store.finish(create().id, 'call', done)
      expect(store.create(main, request)).toBeUndefined()
    })

    it('is made by the oldest results that were fetched, and by nothing else', () => {
      const tasks = Array.from({ length: limits.tasksPerPrincipalMax }, () => {
        const task = create()
        store.finish(task.id, 'call', done)
        return task
      })
      store.noteFetched(tasks[7]!.id)
      store.noteFetched(tasks[3]!.id)
      create()
      expect(tasks.filter((task) => !isThere(task))).toEqual([tasks[3]])
      create()
      expect(tasks.filter((task) => !isThere(task))).toEqual([tasks[3], tasks[7]])
      expect(store.create(main, request)).toBeUndefined()
    })
  })
})

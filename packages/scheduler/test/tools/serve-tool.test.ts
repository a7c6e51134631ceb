import { StoreError } from '@callboard/store'
import { describeBothDatabases, type TestLocation } from '@callboard/store/testing'
import { CallFailure, defineWorker } from '@callboard/worker'
import { connectForTest, type TestCallOptions, type TestLink, textOf } from '@callboard/worker/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { refusal } from '../../src/refusal.js'
import { answering, changing, open, type Reply, type SchedulerTool } from '../../src/tools/scheduler-tool.js'
import { serveTool } from '../../src/tools/serve-tool.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const lab: TestCallOptions = { group: 'lab', principal: 'agent:ada' }
const admin: TestCallOptions = { group: 'main' }
const operator: TestCallOptions = { principal: 'operator:local', roles: ['agent', 'operator'] }

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const writing = { ...readOnly, readOnlyHint: false, idempotentHint: false }

const input = z.strictObject({
  text: z.string().trim().min(1).max(20),
  limit: z.int().min(1).max(500).default(50),
  mode: z.enum(['group', 'isolated']).default('group'),
  args: z.record(z.string(), z.unknown()).optional(),
  idempotency_key: z.string().min(1).max(128).optional(),
})
const output = z.object({ note: z.string(), state: z.string() })
type Note = Reply<z.output<typeof output>>

const plain = { title: 'T', description: 'D', output }
const reply = (note: string, state = 'done'): Note => ({ value: { note, state }, text: `${note} is ${state}.` })

/** A tool that adds a row for each effect. */
function addNote(foundation: TestFoundation, more: { afterwards?: (reply: Note) => Promise<Note> } = {}) {
  return changing({
    ...plain,
    name: 'add_note',
    input,
    annotations: writing,
    access: 'group',
    async change({ text, limit }, actor, db) {
      await db
        .insertInto('kv')
        .values({ key: foundation.newId('msg'), value: `${actor.group.folder} ${text} ${limit}` })
        .execute()
      if (text === 'refuse me')
        throw refusal('RATE_LIMITED', 'Too many.', { retryAfterMs: 5, event: 'trigger_refused' })
      if (text === 'break') throw new Error('secret detail')
      return reply(text)
    },
    ...more,
  })
}

function describeTool(name: string, suite: (stage: Stage) => void): void {
  describeBothDatabases(name, (database) => {
    const stage = new Stage()
    beforeEach(async () => {
      stage.location = await database.create()
      stage.foundation = await openTestFoundation({ location: stage.location })
    })
    afterEach(() => stage.close())
    suite(stage)
  })
}

class Stage {
  location!: TestLocation
  foundation!: TestFoundation
  #links: TestLink[] = []

  serve(...tools: readonly SchedulerTool[]): Promise<TestLink> {
    return this.serveOn(this.foundation, ...tools)
  }

  async serveOn(foundation: TestFoundation, ...tools: readonly SchedulerTool[]): Promise<TestLink> {
    const worker = defineWorker({ service: 'scheduler', version: '1' })
    for (const tool of tools) serveTool(worker, tool, foundation)
    const link = await connectForTest(worker)
    this.#links.push(link)
    return link
  }

  async notes(): Promise<readonly string[]> {
    const rows = await this.foundation.store.db.selectFrom('kv').select('value').orderBy('key').execute()
    return rows.map(({ value }) => value)
  }

  async activity() {
    const rows = await this.foundation.store.db.selectFrom('activity').selectAll().orderBy('id').execute()
    return rows.map(({ id: _, ts: __, details, ...row }) => ({ ...row, details: JSON.parse(details) as object }))
  }

  async addAttempt(runId: string, n: number, outcome: 'ok' | null): Promise<void> {
    const { db } = this.foundation.store
    const times = { scheduled_for: 0, due_at: 0, created_at: 0 }
    const counts = { attempts: n, attempts_before: 0, fence: n, late_ms: 0, slots: 1 }
    await db
      .insertInto('runs')
      .values({
        id: runId,
        group_folder: 'lab',
        depth: 0,
        state: 'running',
        serial: 0,
        exclusive: 0,
        ...times,
        ...counts,
      })
      .onConflict((same) => same.column('id').doNothing())
      .execute()
    await db
      .insertInto('attempts')
      .values({
        run_id: runId,
        n,
        owner: 'p',
        fence: n,
        lease_until: 9,
        outcome,
        started_at: 0,
        messages_sent: 0,
        repeatable: 1,
        tool_calls: 0,
      })
      .execute()
  }

  async close(): Promise<void> {
    for (const link of this.#links.splice(0)) await link.close()
    await this.foundation[Symbol.asyncDispose]()
  }
}

const errorOf = (answer: { readonly _meta?: { readonly [key: string]: unknown } }) =>
  answer._meta?.['callboard/error'] as { readonly code: string; readonly message: string }

describeTool('a tool', (stage) => {
  it('is announced as strict as it is', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    expect(link.definitions.tools?.[0]).toMatchObject({
      name: 'add_note',
      title: 'T',
      annotations: writing,
      inputSchema: {
        type: 'object',
        additionalProperties: false,
        required: ['text'],
        properties: { limit: { minimum: 1, maximum: 500, default: 50 }, mode: { enum: ['group', 'isolated'] } },
      },
      outputSchema: { type: 'object' },
    })
  })

  it('answers with what a model reads, then the JSON, and the value', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    const answer = await link.callTool('add_note', { text: ' hello ' }, lab)
    expect(answer.content).toEqual([{ type: 'text', text: 'hello is done.\n{"note":"hello","state":"done"}' }])
    expect(answer.structuredContent).toEqual({ note: 'hello', state: 'done' })
    expect(await stage.notes()).toEqual(['lab hello 50'])
  })

  it('refuses whoever has no registered group, before anything else', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    const answer = await link.callTool('add_note', { nonsense: 1 }, { group: 'nowhere' })
    expect(answer.isError).toBe(true)
    expect(errorOf(answer)).toMatchObject({ code: 'FORBIDDEN', retryable: false, hint: expect.any(String) })
    expect(answer.structuredContent).toBeUndefined()
    expect(JSON.parse(textOf(answer))).toEqual(errorOf(answer))
    expect(await stage.activity()).toEqual([
      {
        event_type: 'tool_refused',
        group_folder: null,
        task_id: null,
        run_id: null,
        summary: 'add_note: FORBIDDEN: The group of this agent, nowhere, is not registered.',
        details: {
          tool: 'add_note',
          code: 'FORBIDDEN',
          message: 'The group of this agent, nowhere, is not registered.',
          principal: 'agent:main',
          unregistered_group: 'nowhere',
        },
      },
    ])
  })

  it('takes no group, principal or role from arguments', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    for (const extra of [
      { group: 'main' },
      { principal: 'operator:local' },
      { roles: ['operator'] },
      { is_admin: true },
    ]) {
      expect(errorOf(await link.callTool('add_note', { text: 'x', ...extra }, lab)).code).toBe('INVALID_ARGUMENT')
    }
    expect(await stage.notes()).toEqual([])
  })

  it('makes a row of each refusal, of the type that it says; the agent does not see that', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    const answer = await link.callTool('add_note', { text: 'refuse me' }, lab)
    const { code, message } = { code: 'RATE_LIMITED', message: 'Too many.' }
    expect(errorOf(answer)).toEqual({ code, message, retryable: true, retryAfterMs: 5 })
    expect(await stage.activity()).toMatchObject([
      {
        event_type: 'trigger_refused',
        group_folder: 'lab',
        details: { tool: 'add_note', code, principal: 'agent:ada' },
      },
    ])
    expect(await stage.notes(), 'a refusal has no effect').toEqual([])
  })

  it('tells of the refusal also when its row cannot be written', async () => {
    const link = await stage.serve(
      answering({
        ...plain,
        name: 'look',
        input: z.strictObject({}),
        annotations: readOnly,
        access: 'group',
        async answer() {
          await stage.foundation.store.close()
          throw refusal('NOT_FOUND', 'There is no such thing.')
        },
      }),
    )
    expect(errorOf(await link.callTool('look', {}, lab))).toMatchObject({ code: 'NOT_FOUND' })
    expect(stage.foundation.logged).toContainEqual(expect.objectContaining({ message: 'refusal not recorded' }))
  })

  it('says INTERNAL for what is our fault, and no more; the log has it whole', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    const answer = await link.callTool('add_note', { text: 'break' }, lab)
    expect(errorOf(answer)).toMatchObject({ code: 'INTERNAL', retryable: false })
    expect(textOf(answer)).not.toContain('secret')
    expect(stage.foundation.logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        details: expect.objectContaining({ err: new Error('secret detail') }),
      }),
    )
  })

  it.each([
    [new StoreError('locked', 'Another process kept /data/x locked'), 'UPSTREAM_ERROR', true],
    [new StoreError('unavailable', '/data/x'), 'UPSTREAM_ERROR', true],
    [new StoreError('not_writable', 'the disk with /data/x'), 'INTERNAL', false],
    [new CallFailure('unavailable', 'No worker.', { retryAfterMs: 7 }), 'UPSTREAM_ERROR', true],
  ])('says of %o that it is %s', async (error, code, retryable) => {
    const answer = () => Promise.reject(error)
    const look = { ...plain, name: 'look', input: z.strictObject({}), annotations: readOnly, access: 'group' as const }
    const link = await stage.serve(answering({ ...look, answer }))
    const told = await link.callTool('look', {}, lab)
    expect(errorOf(told)).toMatchObject({ code, retryable })
    expect(textOf(told)).not.toContain('/data')
  })
})

describeTool('input', (stage) => {
  const long = 'x'.repeat(200)
  const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) as unknown

  it.each([
    [{}, 'text: required; must be text'],
    [{ text: 5 }, 'text: must be text (got 5)'],
    [{ text: null }, 'text: must be text (got null)'],
    [{ text: '   ' }, 'text: must not be empty (got "   ")'],
    [{ text: long }, `text: must have at most 20 characters (got "${'x'.repeat(79)}…)`],
    [{ text: 'a', limit: '50' }, 'limit: must be a number (got "50")'],
    [{ text: 'a', limit: 1.5 }, 'limit: must be a whole number (got 1.5)'],
    [{ text: 'a', limit: 0 }, 'limit: must be at least 1 (got 0)'],
    [{ text: 'a', limit: 501 }, 'limit: must be at most 500 (got 501)'],
    [{ text: 'a', mode: 'both' }, 'mode: must be one of group, isolated (got "both")'],
    [{ text: 'a', args: [1] }, 'args: must be an object (got [1])'],
    [{ text: 'a\0b' }, 'text: must be valid Unicode without NUL, nested at most 64 deep (got "a\\u0000b")'],
    [{ text: 'a\ud800' }, 'text: must be valid Unicode without NUL, nested at most 64 deep (got "a\\ud800")'],
    [{ text: 'a', args: { b: [{ '\0': 1 }] } }, 'args: must be valid Unicode without NUL, nested at most 64 deep'],
    [
      { text: 'a', limt: 1 },
      'limt: there is no such parameter (did you mean limit?); accepted: text, limit, mode, args, idempotency_key',
    ],
    [
      { limit: 0, mode: 1 },
      'text: required; must be text; limit: must be at least 1 (got 0); mode: must be one of group, isolated (got 1)',
    ],
  ])('%j is refused in this worker’s words, and nothing is stored', async (args, message) => {
    const link = await stage.serve(addNote(stage.foundation))
    const answer = await link.callTool('add_note', args, lab)
    expect(errorOf(answer)).toEqual({ code: 'INVALID_ARGUMENT', message, retryable: false })
    expect(await stage.notes()).toEqual([])
    expect(await stage.foundation.store.db.selectFrom('call_replies').selectAll().execute()).toEqual([])
    expect(await stage.activity()).toHaveLength(1)
  })

  it('with many mistakes is answered in few words', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${n}${'k'.repeat(300)}`, 1]))
    const { message } = errorOf(await link.callTool('add_note', { text: 'a', ...unknown }, lab))
    expect(message).toEqual(expect.stringMatching(/; and \d+ more$/))
    expect(message.length).toBeLessThan(5_000)
  })

  it('may be refused as a whole', async () => {
    const strict = z.strictObject({ from: z.int(), to: z.int() })
    const tool = {
      ...plain,
      name: 'look',
      input: strict.refine(({ from, to }) => from < to, 'from must be before to'),
      annotations: readOnly,
      access: 'group' as const,
      answer: async () => reply('x'),
    }
    const link = await stage.serve(answering(tool))
    expect(errorOf(await link.callTool('look', { from: 2, to: 1 }, lab)).message).toBe('from must be before to')
  })

  it('may not be nested without end', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    expect(errorOf(await link.callTool('add_note', { text: 'a', args: { deep } }, lab)).code).toBe('INVALID_ARGUMENT')
  })

  it('has nothing in it for a tool without parameters', async () => {
    const link = await stage.serve(
      answering({
        ...plain,
        name: 'look',
        input: z.object({}),
        annotations: readOnly,
        access: 'group',
        answer: async () => reply('x'),
      }),
    )
    expect(errorOf(await link.callTool('look', { verbose: true }, lab)).message).toBe(
      'verbose: there is no such parameter; this tool takes none',
    )
  })
})

describeTool('access', (stage) => {
  const look = (access: 'group' | 'admin' | 'operator') =>
    answering({
      ...plain,
      name: `look_${access}`,
      input: z.strictObject({}),
      annotations: readOnly,
      access,
      answer: async (_, actor) => reply(actor.group.folder),
    })

  it('of the admin group is by its flag', async () => {
    const link = await stage.serve(look('admin'))
    expect(errorOf(await link.callTool('look_admin', {}, lab))).toMatchObject({ code: 'FORBIDDEN' })
    expect((await link.callTool('look_admin', {}, admin)).structuredContent).toMatchObject({ note: 'main' })
    expect((await link.callTool('look_admin', {}, operator)).structuredContent).toMatchObject({ note: 'main' })
  })

  it('of operators hides the tool from everybody else', async () => {
    const link = await stage.serve(look('operator'))
    expect(link.definitions.tools?.[0]?._meta).toEqual({ 'callboard/roles': ['operator'] })
    expect(errorOf(await link.callTool('look_operator', {}, admin))).toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no tool look_operator.',
    })
    expect((await link.callTool('look_operator', {}, operator)).isError).toBeUndefined()
  })

  it('of anyone needs no group', async () => {
    const link = await stage.serve(
      open({
        ...plain,
        name: 'look',
        input: z.strictObject({}),
        annotations: readOnly,
        access: 'anyone',
        tell: async (_, { isAdmin }) => reply(isAdmin ? 'all' : 'little'),
      }),
    )
    const told = async (options: TestCallOptions) => (await link.callTool('look', {}, options)).structuredContent
    expect(await told({})).toMatchObject({ note: 'little' })
    expect(await told({ group: 'unknown' })).toMatchObject({ note: 'little' })
    expect(await told({ group: 'unknown', roles: ['operator'] })).toMatchObject({ note: 'little' })
    expect(await told(lab)).toMatchObject({ note: 'little' })
    expect(await told(admin)).toMatchObject({ note: 'all' })
    expect(await told(operator)).toMatchObject({ note: 'all' })
  })
})

describeTool('a run that has ended', (stage) => {
  const run = (attempt: number) => ({ ...lab, run: { id: 'run_1', attempt, triggerDepth: 0 } })

  it('changes nothing any more, while the next attempt does', async () => {
    await stage.addAttempt('run_1', 1, 'ok')
    await stage.addAttempt('run_1', 2, null)
    const link = await stage.serve(addNote(stage.foundation))
    for (const attempt of [1, 3]) {
      expect(errorOf(await link.callTool('add_note', { text: 'late' }, run(attempt)))).toMatchObject({
        code: 'FORBIDDEN',
        message: 'This run has ended, so it can change nothing any more.',
      })
    }
    expect((await link.callTool('add_note', { text: 'live' }, run(2))).isError).toBeUndefined()
    expect(await stage.notes()).toEqual(['lab live 50'])
    expect(await stage.activity()).toMatchObject([{ run_id: 'run_1', group_folder: 'lab' }, { run_id: 'run_1' }])
  })

  it('may still look, but not act elsewhere', async () => {
    const tool = (name: string, annotations: typeof readOnly) =>
      answering({
        ...plain,
        name,
        input: z.strictObject({}),
        annotations,
        access: 'group',
        answer: async () => reply('x'),
      })
    const link = await stage.serve(tool('look', readOnly), tool('act', writing))
    expect((await link.callTool('look', {}, run(1))).isError).toBeUndefined()
    expect(errorOf(await link.callTool('act', {}, run(1))).code).toBe('FORBIDDEN')
  })
})

describeTool('an idempotency key', (stage) => {
  const day = 24 * 60 * 60_000

  it('has one effect: the repeat gets the stored reply', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    const first = await link.callTool('add_note', { text: 'a', idempotency_key: 'k' }, lab)
    const second = await link.callTool('add_note', { idempotency_key: 'k', text: 'a' }, lab)
    expect(second).toEqual(first)
    expect(await stage.notes()).toHaveLength(1)
  })

  it('comes with the request where the arguments have none', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    await link.callTool('add_note', { text: 'a' }, { ...lab, idempotencyKey: 'k' })
    await link.callTool('add_note', { text: 'a' }, { ...lab, idempotencyKey: 'k' })
    await link.callTool('add_note', { text: 'a', idempotency_key: 'k' }, { ...lab, idempotencyKey: 'other' })
    expect(await stage.notes()).toHaveLength(1)
    await link.callTool('add_note', { text: 'a' }, lab)
    expect(await stage.notes(), 'without a key each call stands for itself').toHaveLength(2)
  })

  it('may hold what no database takes', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    for (const idempotencyKey of ['a\0b', 'a\0b'])
      await link.callTool('add_note', { text: 'a' }, { ...lab, idempotencyKey })
    expect(await stage.notes()).toHaveLength(1)
  })

  it('has one effect under concurrent repeats, through two processes on one database as well', async () => {
    await using other = await openTestFoundation({ location: stage.location })
    const links = [await stage.serve(addNote(stage.foundation)), await stage.serveOn(other, addNote(other))]
    const calls = Array.from({ length: 10 }, (_, n) =>
      links[n % 2]!.callTool('add_note', { text: 'a', idempotency_key: 'k' }, lab),
    )
    const answers = await Promise.all(calls)
    expect(new Set(answers.map(textOf)).size).toBe(1)
    expect(await stage.notes()).toHaveLength(1)
  })

  it('stands for one call: other arguments are a conflict', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    await link.callTool('add_note', { text: 'a', args: { x: 1, y: 2 }, idempotency_key: 'k' }, lab)
    const same = await link.callTool('add_note', { text: 'a', args: { y: 2, x: 1 }, idempotency_key: 'k' }, lab)
    expect(same.isError).toBeUndefined()
    const other = await link.callTool('add_note', { text: 'a', args: { x: 1, y: 3 }, idempotency_key: 'k' }, lab)
    expect(errorOf(other)).toMatchObject({ code: 'CONFLICT', retryable: false })
    expect(await stage.notes()).toHaveLength(1)
  })

  it('is the principal’s, and the tool’s', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    await link.callTool('add_note', { text: 'a', idempotency_key: 'k' }, lab)
    await link.callTool('add_note', { text: 'b', idempotency_key: 'k' }, { ...lab, principal: 'agent:eve' })
    const nested = { ...lab, principal: 'worker:kernel', onBehalfOf: 'agent:ada' }
    await link.callTool('add_note', { text: 'a', idempotency_key: 'k' }, nested)
    expect(await stage.notes()).toEqual(['lab a 50', 'lab b 50'])
  })

  it('is good for 24 hours', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    await link.callTool('add_note', { text: 'a', idempotency_key: 'k' }, lab)
    stage.foundation.clock.advance(day - 1)
    await link.callTool('add_note', { text: 'a', idempotency_key: 'k' }, lab)
    expect(await stage.notes()).toHaveLength(1)
    stage.foundation.clock.advance(1)
    expect((await link.callTool('add_note', { text: 'b', idempotency_key: 'k' }, lab)).isError).toBeUndefined()
    expect(await stage.notes()).toEqual(['lab a 50', 'lab b 50'])
  })

  it('is not used up by a refusal', async () => {
    const link = await stage.serve(addNote(stage.foundation))
    await link.callTool('add_note', { text: 'refuse me', idempotency_key: 'k' }, lab)
    expect((await link.callTool('add_note', { text: 'fine', idempotency_key: 'k' }, lab)).isError).toBeUndefined()
  })

  it('keeps the reply of what came after the change, which is done once', async () => {
    let sent = 0
    const afterwards = async ({ value }: Note) => {
      sent += 1
      return reply(value.note, 'sent')
    }
    const link = await stage.serve(addNote(stage.foundation, { afterwards }))
    const first = await link.callTool('add_note', { text: 'a', idempotency_key: 'k' }, lab)
    expect(first.structuredContent).toEqual({ note: 'a', state: 'sent' })
    expect(await link.callTool('add_note', { text: 'a', idempotency_key: 'k' }, lab)).toEqual(first)
    expect(sent).toBe(1)
  })

  it('tells the truth when what came after the change has failed: the change is made', async () => {
    const link = await stage.serve(addNote(stage.foundation, { afterwards: () => Promise.reject(new Error('gone')) }))
    const answer = await link.callTool('add_note', { text: 'a' }, lab)
    expect(answer.structuredContent).toEqual({ note: 'a', state: 'done' })
    expect(stage.foundation.logged).toContainEqual(expect.objectContaining({ message: 'what follows a change failed' }))
  })
})

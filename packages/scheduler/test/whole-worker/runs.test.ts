import { describe, expect, it } from 'vitest'
import { type Fields, openWholeWorker, operator, type WholeWorker } from '../support/whole-worker.js'
import { hour, main, minute, often, period, soon, tasksOf } from './stories.js'

describe('a task that fails', () => {
  const failing = { error: { class: 'exit', text: 'It exited with code 1.', transient: true } } as const

  it('is tried three times, is dead, is redriven under its old slot, and the series goes on', async () => {
    await using whole = await openWholeWorker()
    whole.agents.answer = () => failing
    const { task_id } = await whole.ask('lab', 'schedule_task', often)
    await whole.pass(period + 3 * minute)
    const [dead] = await whole.runs()
    expect(dead).toMatchObject({ task_id, outcome: 'dead', attempts: 3, error: expect.stringContaining('exited') })
    expect((await whole.call('lab', 'redrive_run', { run_id: dead!['run_id'] })).value).toMatchObject({
      code: 'NOT_FOUND',
    })

    whole.agents.answer = () => ({ text: 'done' })
    const { run_id, scheduled_for } = dead!
    expect(await whole.ask(operator, 'redrive_run', { run_id })).toEqual({ run_id, state: 'queued' })
    expect(await whole.runs()).toMatchObject([{ run_id, scheduled_for, outcome: 'ok', attempts: 4 }])
    expect((await whole.call(operator, 'redrive_run', { run_id })).value).toMatchObject({ code: 'CONFLICT' })
    await whole.pass(period)
    expect(await tasksOf(whole)).toMatchObject([{ status: 'active', consecutive_failures: 0 }])
    expect(new Set(whole.agents.started.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2)
  })

  it('five slots in a row is paused; its one notice waits for a mail server that is down', async () => {
    await using whole = await openWholeWorker({ config: { max_attempts: 1, digest_interval_ms: 24 * hour } })
    whole.agents.answer = () => failing
    whole.transport.answers.push(...Array.from({ length: 3 }, () => ({ kind: 'deferred', error: '421' }) as const))
    await whole.ask('lab', 'schedule_task', often)
    await whole.pass(7 * period)
    expect(whole.agents.started).toHaveLength(5)
    expect(await tasksOf(whole)).toMatchObject([{ status: 'paused', pause_reason: 'auto', consecutive_failures: 5 }])
    const notices = whole.transport.mails.filter(({ subject }) => subject.includes('is paused'))
    expect(notices).toHaveLength(4)
    expect(new Set(notices.map(({ messageId }) => messageId)).size).toBe(1)
    expect(await whole.events('task_auto_paused', 'email_sent')).toEqual(['task_auto_paused', 'email_sent'])
  })

  it('by saying nothing where a message was expected is empty, and not tried again', async () => {
    await using whole = await openWholeWorker()
    await whole.ask('lab', 'schedule_task', { ...often, expect: 'message' })
    await whole.pass(period)
    whole.agents.open[0]!.finish({ text: 'I have sent the message.', exitCode: 0 })
    await whole.pass(period)
    const [run] = whole.agents.open
    await whole.ask(whole.asRun(run!.request), 'send_message', { text: 'Truly.' })
    run!.finish()
    await whole.pass(minute)
    expect((await whole.runs()).map(({ outcome, attempts }) => [outcome, attempts])).toEqual([
      ['ok', 1],
      ['empty', 1],
    ])
  })
})

describe('an attempt', () => {
  const attemptsOf = async (whole: WholeWorker) => {
    const [run] = await whole.runs()
    return (await whole.ask(operator, 'list_runs', { run_id: run!['run_id'] }))['attempts'] as readonly Fields[]
  }

  it('is stopped at the limit of its group, else of the configuration, and the run is tried again', async () => {
    const groups = [main({ timeout_ms: 2 * minute }), { ...main({}), folder: 'lab', tag: 'lab', admin: false }]
    await using whole = await openWholeWorker({ groups, config: { run_timeout_ms: 3 * minute } })
    await whole.ask('main', 'schedule_task', soon)
    await whole.ask('lab', 'schedule_task', soon)
    const [first, second] = whole.agents.open
    await whole.pass(2 * minute)
    expect([first!.signal.reason, second!.signal.reason]).toEqual(['timed_out', undefined])
    await whole.pass(minute)
    expect(second!.signal.reason).toBe('timed_out')
    await whole.pass(minute)
    expect(whole.agents.started).toHaveLength(4)
    expect((await attemptsOf(whole)).at(-1)).toMatchObject({ outcome: 'timed_out', error_class: 'timed_out' })
  })

  it('is recorded with all that is known of it', async () => {
    await using whole = await openWholeWorker()
    await whole.ask('lab', 'schedule_task', soon)
    const [run] = whole.agents.open
    await run!.request.onProcess({ pgid: 4711, identity: 'machine/boot/99' })
    await whole.ask(whole.asRun(run!.request), 'send_message', { text: 'Hello', priority: 'log' })
    await whole.pass(minute)
    const known = {
      exitCode: 1,
      stderrTail: 'oh',
      sessionId: 's-1',
      tokensIn: 7,
      tokensOut: 8,
      costUsd: 0.5,
      toolCalls: 2,
    }
    run!.finish({ ...known, text: 'half', error: { class: 'exit', text: 'It exited with code 1.', transient: false } })
    await whole.pass(1)
    expect(await attemptsOf(whole)).toEqual([
      {
        attempt: 1,
        outcome: 'failed',
        started_at: expect.any(String),
        finished_at: expect.any(String),
        duration_ms: minute,
        exit_code: 1,
        signal: null,
        error_class: 'exit',
        error: 'It exited with code 1.',
        result: 'half',
        stderr_tail: 'oh',
        session_id: 's-1',
        tokens_in: 7,
        tokens_out: 8,
        cost_usd: 0.5,
        messages_sent: 1,
        tool_calls: 2,
      },
    ])
    const row = await whole.store.db.selectFrom('attempts').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ pgid: 4711, process_identity: 'machine/boot/99', fence: 1 })
    expect(row.owner).toMatch(/^process_/)
    expect(JSON.stringify(row)).not.toContain(run!.request.token)
  })
})

describe('runs beside each other', () => {
  it.each([
    ['skip', ['ok', 'skipped_overlap', 'skipped_overlap']],
    ['queue_one', ['ok', null, 'skipped_overlap']],
    ['cancel_running', ['cancelled', 'cancelled', null]],
    ['allow', ['ok', null, null]],
  ] as const)('overlap %s', async (overlap, outcomes) => {
    await using whole = await openWholeWorker({ groups: [main({ timeout_ms: 24 * hour })] })
    await whole.ask('main', 'schedule_task', { ...often, overlap })
    await whole.pass(3 * period)
    const [first] = whole.agents.open
    if (overlap !== 'cancel_running') first!.finish()
    await whole.pass(minute)
    const runs = [...(await whole.runs())].reverse()
    expect(runs.map(({ outcome }) => outcome)).toEqual(outcomes)
  })

  it('a busy group does not keep a quiet one waiting', async () => {
    await using whole = await openWholeWorker({ config: { max_concurrent_runs: 2 } })
    for (let n = 0; n < 6; n += 1) await whole.ask('lab', 'schedule_task', { ...soon, context_mode: 'isolated' })
    await whole.ask('press', 'schedule_task', soon)
    expect(whole.agents.started.map(({ group }) => group.folder)).toEqual(['lab', 'lab'])
    whole.agents.open[0]!.finish()
    await whole.pass(1)
    expect(whole.agents.started.map(({ group }) => group.folder)).toEqual(['lab', 'lab', 'press'])
  })

  it('triggers and mail go on in the conversation of their group, one at a time; isolated tasks do not', async () => {
    await using whole = await openWholeWorker()
    await whole.ask('lab', 'schedule_task', soon)
    await whole.ask('press', 'trigger_email', { tag: 'science', body: 'Read this.' })
    await whole.ask('lab', 'schedule_task', { ...soon, context_mode: 'isolated' })
    expect(whole.agents.started.map(({ contextMode }) => contextMode)).toEqual(['group', 'isolated'])
    whole.agents.open[0]!.finish()
    await whole.pass(1)
    expect(whole.agents.started.map(({ contextMode }) => contextMode)).toEqual(['group', 'isolated', 'group'])
    expect(whole.agents.started[2]!.prompt).toMatch(/^Trigger: trg_\w+ "\[science\] Agent Trigger"$/m)
    expect(whole.agents.started[2]!.prompt).toMatch(/^Source group: press$/m)
  })
})

describe('the worker', () => {
  it('wants to stay until the next fire, or until what runs must have ended if that is later', async () => {
    await using whole = await openWholeWorker()
    expect(whole.scheduler.holdUntil).toBeUndefined()
    await whole.ask('lab', 'schedule_task', often)
    const now = whole.clock.now()
    expect(whole.scheduler.holdUntil).toBe(now + period)
    await whole.pass(5 * minute)
    await whole.ask('press', 'schedule_task', soon)
    expect(whole.scheduler.holdUntil).toBe(now + 15 * minute)
  })

  it('notes when it starts and stops, and a run token ends with its attempt', async () => {
    await using whole = await openWholeWorker()
    await whole.ask('lab', 'schedule_task', soon)
    const [run] = whole.agents.open
    const caller = whole.asRun(run!.request)
    run!.finish()
    await whole.pass(1)
    expect(whole.holdsToken(run!.request)).toBe(false)
    expect((await whole.call(caller, 'send_message', { text: 'Too late.' })).value).toMatchObject({ code: 'FORBIDDEN' })
    expect(await whole.runs()).toMatchObject([{ outcome: 'ok' }])
    expect(await whole.events('system_started', 'agent_started', 'agent_completed', 'tool_refused')).toEqual([
      'system_started',
      'agent_started',
      'agent_completed',
      'tool_refused',
    ])
  })
})

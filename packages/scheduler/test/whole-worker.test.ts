import { describe, expect, it } from 'vitest'
import { type Fields, openWholeWorker, operator, type WholeWorker } from './support/whole-worker.js'

const minute = 60_000
const hour = 60 * minute
const period = 10 * minute
const often = { prompt: 'Look.', schedule_type: 'interval', schedule_value: String(period), context_mode: 'isolated' }
const soon = { prompt: 'Go on.', schedule_type: 'once', schedule_value: '2020-01-01T00:00:00', allow_past: true }

const only = (fields: Fields, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))

async function tasks(whole: WholeWorker, caller = 'lab'): Promise<readonly Fields[]> {
  return (await whole.ask(caller, 'list_tasks'))['tasks'] as readonly Fields[]
}

describe('a task', () => {
  it('is listed as soon as it was answered, under the id that was answered', async () => {
    await using whole = await openWholeWorker()
    const { task_id, next_fires } = await whole.ask('lab', 'schedule_task', often)
    expect(await tasks(whole)).toMatchObject([{ task_id, next_fires, status: 'active', group: 'lab', running: false }])
    expect(await tasks(whole, 'press')).toEqual([])
    expect(await tasks(whole, 'main')).toHaveLength(1)
  })

  it('for once that outlasts many rounds of the engine runs once', async () => {
    await using whole = await openWholeWorker()
    await whole.ask('lab', 'schedule_task', soon)
    await whole.pass(9 * minute)
    expect(whole.agents.started).toHaveLength(1)
    whole.agents.open[0]!.finish({ text: 'done' })
    await whole.pass(hour)
    expect(whole.agents.started).toHaveLength(1)
    expect(await tasks(whole)).toMatchObject([{ status: 'completed', last_run: { outcome: 'ok' } }])
  })

  it('that is cancelled while it runs stops; its late result is ignored, its history kept', async () => {
    await using whole = await openWholeWorker()
    const { task_id } = await whole.ask('lab', 'schedule_task', { ...soon, deliver: 'log' })
    const [run] = whole.agents.open
    expect(await whole.ask('lab', 'cancel_task', { task_id })).toMatchObject({ status: 'cancelled', changed: true })
    expect(run!.signal.reason).toBe('cancelled')
    expect(whole.holdsToken(run!.request)).toBe(false)
    await whole.pass(hour)
    expect(await tasks(whole)).toEqual([])
    expect(await whole.runs()).toMatchObject([{ task_id, outcome: 'cancelled', attempts: 1 }])
    expect(await whole.events('message_logged', 'run_retry', 'run_fenced')).toEqual([])
  })

  it.each(['pause_task', 'cancel_task'])('of which a run waits for its turn does not start after %s', async (tool) => {
    await using whole = await openWholeWorker({ config: { max_concurrent_runs: 1 } })
    await whole.ask('press', 'schedule_task', soon)
    const { task_id } = await whole.ask('lab', 'schedule_task', soon)
    expect((await whole.runs()).map(({ state }) => state)).toEqual(['queued', 'running'])
    await whole.ask('lab', tool, { task_id })
    whole.agents.open[0]!.finish()
    await whole.pass(hour)
    expect(whole.agents.started.map(({ group }) => group.folder)).toEqual(['press'])
  })

  it.each([
    ['completed', {}],
    ['failed', { error: { class: 'exit', text: 'It exited with code 1.', transient: true } }],
  ] as const)(
    'for once that is paused while it runs has %s with that run: nothing is tried again',
    async (status, report) => {
      await using whole = await openWholeWorker()
      const { task_id } = await whole.ask('lab', 'schedule_task', soon)
      const paused = await whole.ask('lab', 'pause_task', { task_id })
      expect(paused).toMatchObject({ status: 'paused', running_run: expect.stringMatching(/^run_/) })
      whole.agents.open[0]!.finish(report)
      await whole.pass(5 * minute)
      expect(await tasks(whole)).toMatchObject([{ task_id, status, pause_reason: null }])
      expect(whole.agents.started).toHaveLength(1)
    },
  )

  it('that is paused while it runs leaves no retry for the time when it is resumed', async () => {
    await using whole = await openWholeWorker()
    const { task_id } = await whole.ask('lab', 'schedule_task', often)
    await whole.pass(period)
    await whole.ask('lab', 'pause_task', { task_id })
    whole.agents.open[0]!.finish({ error: { class: 'exit', text: 'It exited with code 1.', transient: true } })
    await whole.pass(minute)
    await whole.ask('lab', 'resume_task', { task_id })
    await whole.pass(5 * minute)
    expect(await whole.runs()).toMatchObject([
      { outcome: 'failed', attempts: 1, error: expect.stringContaining('paused') },
    ])
  })

  it('that was resumed never runs what the pause has swallowed', async () => {
    await using whole = await openWholeWorker()
    whole.agents.answer = () => ({})
    const { task_id } = await whole.ask('lab', 'schedule_task', often)
    await whole.ask('lab', 'pause_task', { task_id })
    await whole.pass(5.5 * period)
    const { next_fires } = await whole.ask('lab', 'resume_task', { task_id })
    expect(next_fires).toMatchObject([{ utc: '2026-03-02T13:00:00Z' }, {}, {}])
    await whole.pass(period)
    expect((await whole.runs()).map(({ scheduled_for }) => scheduled_for)).toEqual(['2026-03-02T13:00:00.000Z'])
    expect(await whole.events('run_missed')).toEqual([])
  })

  it('keeps its zone when that of the system is another one later', async () => {
    await using whole = await openWholeWorker({ config: { scheduler_tz: 'Asia/Tokyo' } })
    const daily = { ...often, schedule_type: 'cron', schedule_value: '0 9 * * *' }
    await whole.ask('lab', 'schedule_task', daily)
    const [before] = await tasks(whole)
    const { clock, dataDirectory } = whole
    await using later = await openWholeWorker({ config: { scheduler_tz: 'America/New_York' }, clock, dataDirectory })
    expect(await tasks(later)).toEqual([before])
    expect(before).toMatchObject({ timezone: 'Asia/Tokyo', next_fires: [{ utc: '2026-03-03T00:00:00Z' }, {}, {}] })
    expect(await later.ask('lab', 'schedule_task', daily)).toMatchObject({ timezone: 'America/New_York' })
  })

  it('by the same name is the same task with other times', async () => {
    await using whole = await openWholeWorker()
    whole.agents.answer = () => ({})
    const { task_id } = await whole.ask('lab', 'schedule_task', { ...often, name: 'look' })
    await whole.pass(period)
    const other = { ...often, name: 'look', schedule_value: String(3 * period) }
    expect(await whole.ask('lab', 'schedule_task', other)).toMatchObject({ task_id, created: false })
    await whole.pass(2 * period)
    expect(whole.agents.started).toHaveLength(1)
    await whole.pass(period)
    expect(whole.agents.started).toHaveLength(2)
  })

  it('whose row makes no sense is paused once, with a notice, and the others go on', async () => {
    await using whole = await openWholeWorker()
    whole.agents.answer = () => ({})
    const { task_id } = await whole.ask('lab', 'schedule_task', often)
    await whole.ask('press', 'schedule_task', often)
    await whole.store.db
      .updateTable('tasks')
      .set({ schedule_value: 'never' })
      .where('id', '=', String(task_id))
      .execute()
    await whole.pass(3 * period)
    expect(await tasks(whole)).toMatchObject([{ status: 'paused', pause_reason: 'auto', next_fires: [] }])
    expect(whole.agents.started.map(({ group }) => group.folder)).toEqual(['press', 'press', 'press'])
    expect(whole.transport.mails.map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^\[science\] The task/),
    ])
    expect(await whole.events('task_auto_paused')).toHaveLength(1)
  })
})

describe('slots that nobody was there for', () => {
  it.each([
    ['latest', 1],
    ['skip', 0],
    ['all', 24],
  ] as const)('%s: after three days %i of 72 slots run, and say how late', async (missed, count) => {
    const whole = await openWholeWorker()
    await whole.ask('lab', 'schedule_task', { ...often, schedule_value: String(hour), missed })
    const { clock, dataDirectory } = whole
    await whole.stop()
    clock.advance(3 * 24 * hour + 2 * minute - minute)
    await using later = await openWholeWorker({ clock, dataDirectory, answer: () => ({}) })
    await later.pass(2 * minute)
    expect(later.agents.started).toHaveLength(count)
    for (const { prompt } of later.agents.started) expect(prompt).toMatch(/^Lateness: .* late$/m)
    const missedRuns = (await later.runs()).filter(({ outcome }) => outcome === 'missed')
    expect(missedRuns).toHaveLength(72 - count)
    await later.pass(hour)
    expect(later.agents.started).toHaveLength(count + 1)
    expect(later.agents.started.at(-1)!.prompt).toContain('Lateness: on time')
  })
})

describe('a group that is removed', () => {
  it('has its tasks paused and told of once, and its runs call nothing any more', async () => {
    await using whole = await openWholeWorker()
    await whole.ask('lab', 'schedule_task', often)
    await whole.ask('lab', 'schedule_task', { ...soon, context_mode: 'isolated' })
    const [run] = whole.agents.open
    await whole.writeGroups([main({}), { folder: 'press', tag: 'press', name: 'Press' }])
    expect(await whole.scheduler.groups.reload()).toBe('changed')
    expect(await whole.scheduler.groups.reload()).toBe('changed')
    expect(
      (await whole.call(whole.asRun(run!.request), 'send_message', { text: 'I am still here.' })).value,
    ).toMatchObject({
      code: 'FORBIDDEN',
    })
    run!.finish()
    await whole.pass(3 * period)
    expect(whole.agents.started).toHaveLength(1)
    expect(await tasks(whole, 'main')).toMatchObject([
      { status: 'paused', pause_reason: 'group_removed' },
      { status: 'completed' },
    ])
    expect(await whole.events('task_paused')).toHaveLength(2)
    expect(whole.transport.mails.map(({ subject }) => subject)).toEqual([
      expect.stringContaining('The group Lab (lab) was removed'),
    ])
  })
})

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
    expect(await tasks(whole)).toMatchObject([{ status: 'active', consecutive_failures: 0 }])
    expect(new Set(whole.agents.started.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2)
  })

  it('five slots in a row is paused; its one notice waits for a mail server that is down', async () => {
    await using whole = await openWholeWorker({ config: { max_attempts: 1, digest_interval_ms: 24 * hour } })
    whole.agents.answer = () => failing
    whole.transport.answers.push(...Array.from({ length: 3 }, () => ({ kind: 'deferred', error: '421' }) as const))
    await whole.ask('lab', 'schedule_task', often)
    await whole.pass(7 * period)
    expect(whole.agents.started).toHaveLength(5)
    expect(await tasks(whole)).toMatchObject([{ status: 'paused', pause_reason: 'auto', consecutive_failures: 5 }])
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

describe('depth', () => {
  it('ends a ping-pong of two groups', async () => {
    await using whole = await openWholeWorker()
    await whole.ask('lab', 'trigger_email', { tag: 'press', body: 'ping' })
    const depths: unknown[] = []
    let answer: Fields = {}
    for (let turn = 0; turn < 10; turn += 1) {
      const [run] = whole.agents.open
      if (run === undefined) break
      const caller = whole.asRun(run.request)
      depths.push(caller.run?.triggerDepth)
      const tag = caller.group === 'lab' ? 'press' : 'science'
      answer = (await whole.call(caller, 'trigger_email', { tag, body: 'pong' })).value
      run.finish()
      await whole.pass(2 * minute)
    }
    expect(depths).toEqual([1, 2, 3])
    expect(answer).toMatchObject({ code: 'DEPTH_LIMIT', retryable: false, message: expect.stringContaining('3/3') })
    expect(await whole.events('trigger_refused')).toHaveLength(1)
    expect(await whole.ask('main', 'get_system_status')).toMatchObject({
      triggers_last_hour: 3,
      triggers_unreceived: 0,
    })
  })

  it('is that of the run that made a task, also after many tasks for once', async () => {
    await using whole = await openWholeWorker()
    await whole.ask('lab', 'trigger_email', { tag: 'press', body: 'go' })
    for (let turn = 0; turn < 4; turn += 1) {
      const [run] = whole.agents.open
      const caller = whole.asRun(run!.request)
      expect(caller.run?.triggerDepth).toBe(1)
      expect(run!.request.prompt).toMatch(/^Depth: 1$/m)
      await whole.ask(caller, 'schedule_task', soon)
      run!.finish()
      await whole.pass(minute)
    }
    const [run] = whole.agents.open
    const { depth } = await whole.ask(whole.asRun(run!.request), 'trigger_email', { tag: 'main', body: 'go' })
    expect(depth).toBe(2)
  })

  it('is one more in a review, and no review starts at the limit', async () => {
    await using whole = await openWholeWorker({ config: { notify_review: 'admin', max_trigger_depth: 2 } })
    await whole.ask('lab', 'trigger_email', { tag: 'press', body: 'go' })
    const [run] = whole.agents.open
    await whole.ask(whole.asRun(run!.request), 'send_message', { text: 'One', priority: 'notify' })
    const review = whole.agents.open.find(({ request }) => request.group.folder === 'main')
    expect(whole.asRun(review!.request).run?.triggerDepth).toBe(2)

    await whole.ask(whole.asRun(review!.request), 'schedule_task', { ...soon, target_chat_id: 'lab' })
    const deep = whole.agents.open.find(({ request }) => request.group.folder === 'lab')
    expect(whole.asRun(deep!.request).run?.triggerDepth).toBe(2)
    const sent = await whole.ask(whole.asRun(deep!.request), 'send_message', { text: 'Two', priority: 'notify' })
    expect(sent).toMatchObject({ state: 'sent' })
  })

  it('does not count nested calls', async () => {
    await using whole = await openWholeWorker()
    const nested = { principal: 'worker:qda', onBehalfOf: 'agent:lab', group: 'lab', depth: 2 } as const
    expect(await whole.ask(nested, 'trigger_email', { tag: 'press', body: 'go' })).toMatchObject({ depth: 1 })
  })
})

describe('a notification that the admin group reviews', () => {
  const reviewed = { config: { notify_review: 'admin' } }
  const notify = (whole: WholeWorker, text: string) => whole.ask('lab', 'send_message', { text, priority: 'notify' })

  it('starts a run of the admin group at once, and goes out after 15 minutes', async () => {
    await using whole = await openWholeWorker(reviewed)
    expect(await notify(whole, 'Buy now?')).toMatchObject({
      state: 'queued',
      warnings: [expect.stringContaining('15')],
    })
    const [review] = whole.agents.open
    expect(review!.request.group.folder).toBe('main')
    expect(review!.request.prompt).toContain('> Buy now?')
    review!.finish()
    await whole.pass(14 * minute)
    expect(whole.transport.mails).toEqual([])
    await whole.pass(2 * minute)
    expect(whole.transport.mails.map(({ subject }) => subject)).toEqual(['[science] Buy now?'])
  })

  it('is dropped by its review, and only by that of an admin', async () => {
    await using whole = await openWholeWorker(reviewed)
    const { message_id } = await notify(whole, 'Buy now?')
    expect((await whole.call('lab', 'drop_message', { message_id })).value).toMatchObject({ code: 'FORBIDDEN' })
    const [review] = whole.agents.open
    const dropped = await whole.ask(whole.asRun(review!.request), 'drop_message', { message_id })
    expect(dropped).toEqual({ message_id, state: 'dropped', changed: true })
    review!.finish()
    await whole.pass(hour)
    expect(whole.transport.mails).toEqual([])
    expect(await whole.events('message_queued', 'message_logged')).toEqual(['message_queued', 'message_logged'])
  })

  it('goes out at once where the limits of triggers are used up', async () => {
    await using whole = await openWholeWorker(reviewed)
    await notify(whole, 'First')
    expect(await notify(whole, 'Second')).toMatchObject({ state: 'sent' })
    expect(whole.transport.mails.map(({ text }) => text)).toEqual(['Second'])
  })
})

describe('a post', () => {
  it('is proposed once, and posted when a person has approved exactly that', async () => {
    const proposed: Fields[] = []
    let status = 'pending'
    const ok = (data: Fields) => ({ content: [], structuredContent: { success: true, data } })
    await using whole = await openWholeWorker({
      tools: {
        propose_post: (args) => {
          proposed.push(args)
          return ok({ id: proposed.length, status: 'pending' })
        },
        get_item: ({ id }) => ok({ id, status: id === 1 ? status : 'pending', account: '@acme' }),
      },
    })
    const post = (text: string) => whole.call('lab', 'post_to_social', { platform: 'twitter', text })
    const waiting = { code: 'APPROVAL_REQUIRED', retryable: false, approval_id: 1 }
    expect((await post('Hello')).value).toMatchObject(waiting)
    expect((await post('Hello')).value).toMatchObject(waiting)
    status = 'posted'
    expect((await post('Hello')).value).toMatchObject({ status: 'posted', approval_id: 1 })
    expect((await post('Hello!')).value).toMatchObject({ ...waiting, approval_id: 2 })
    expect((await post('Hello')).value).toMatchObject({ status: 'posted', approval_id: 1 })
    expect(proposed.map(({ parts }) => parts)).toEqual([['Hello'], ['Hello!']])
  })
})

describe('a repeated call', () => {
  const calls = [
    ['send_message', { text: 'Hello', priority: 'log' }],
    ['trigger_email', { tag: 'press', body: 'go' }],
    ['schedule_task', often],
  ] as const

  it.each(calls)('of %s has one effect, by key and by id of the call', async (tool, args) => {
    await using whole = await openWholeWorker()
    const lab = { group: 'lab', principal: 'agent:lab' } as const
    const first = await whole.ask({ ...lab, idempotencyKey: 'call-7' }, tool, args)
    expect(await whole.ask({ ...lab, idempotencyKey: 'call-7' }, tool, args)).toEqual(first)
    expect(await whole.ask({ ...lab, idempotencyKey: 'call-8' }, tool, { ...args, idempotency_key: 'call-7' })).toEqual(
      first,
    )
    const other = await whole.call({ ...lab, idempotencyKey: 'call-7' }, tool, { ...args, ...others[tool] })
    expect(other.value).toMatchObject({ code: 'CONFLICT' })
    expect(await whole.events('message_logged', 'trigger_received', 'task_created')).toHaveLength(1)
  })

  const others = {
    send_message: { text: 'Bye' },
    trigger_email: { body: 'stop' },
    schedule_task: { prompt: 'Look away.' },
  } as const

  it.each(['pause_task', 'cancel_task'])('of %s is answered as the first one was', async (tool) => {
    await using whole = await openWholeWorker()
    const { task_id } = await whole.ask('lab', 'schedule_task', often)
    const lab = { group: 'lab', principal: 'agent:lab', idempotencyKey: 'call-7' } as const
    const first = await whole.ask(lab, tool, { task_id })
    expect(first).toMatchObject({ changed: true })
    expect(await whole.ask(lab, tool, { task_id })).toEqual(first)
  })
})

describe('what clients see of the tools', () => {
  const reading = ['readOnly', 'idempotent']
  const hints = {
    send_message: ['openWorld'],
    trigger_email: ['openWorld'],
    schedule_task: ['destructive'],
    list_tasks: reading,
    pause_task: ['idempotent'],
    resume_task: ['idempotent'],
    cancel_task: ['destructive', 'idempotent'],
    get_system_status: reading,
    get_activity_log: reading,
    web_search: [...reading, 'openWorld'],
    post_to_social: ['idempotent', 'openWorld'],
    drop_message: ['destructive', 'idempotent'],
    set_task: ['destructive', 'idempotent'],
    list_runs: reading,
    redrive_run: ['openWorld'],
    requeue_message: ['idempotent', 'openWorld'],
  } as const
  const operatorsOnly = ['set_task', 'list_runs', 'redrive_run', 'requeue_message']

  it('every tool says what a repeat of it would do', async () => {
    await using whole = await openWholeWorker()
    const tools = whole.link.definitions.tools ?? []
    const said = tools.map(({ name, annotations = {} }) => [name, annotations])
    const all = ['readOnly', 'destructive', 'idempotent', 'openWorld']
    const expected = Object.entries(hints).map(([name, trueOnes]) => [
      name,
      Object.fromEntries(all.map((hint) => [`${hint}Hint`, (trueOnes as readonly string[]).includes(hint)])),
    ])
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(expected))
  })

  it('every tool is strict, has a schema of its reply, and answers a mistake in one form', async () => {
    await using whole = await openWholeWorker()
    for (const { name, inputSchema, outputSchema } of whole.link.definitions.tools ?? []) {
      expect([name, inputSchema['additionalProperties'], outputSchema?.['type']]).toEqual([name, false, 'object'])
      const { value, isError, structured } = await whole.call(operator, name, { bogus: 1 })
      expect([name, isError, structured, value['code'], value['retryable']]).toEqual([
        name,
        true,
        undefined,
        'INVALID_ARGUMENT',
        false,
      ])
      expect(value['message']).toContain('bogus')
    }
    const refusals = await whole.events('tool_refused')
    expect(refusals).toHaveLength(Object.keys(hints).length)
  })

  it('operators alone know the tools of operators, whatever group an agent is of', async () => {
    await using whole = await openWholeWorker()
    const tools = whole.link.definitions.tools ?? []
    const hidden = tools.filter(({ _meta }) => _meta?.['callboard/roles'] !== undefined)
    expect(hidden.map(({ name, _meta }) => [name, _meta?.['callboard/roles']])).toEqual(
      operatorsOnly.map((name) => [name, ['operator']]),
    )
    for (const name of operatorsOnly) {
      expect((await whole.call('main', name)).value).toMatchObject({ code: 'NOT_FOUND' })
    }
  })

  it('replies have these fields and no others', async () => {
    await using whole = await openWholeWorker()
    const keys = (value: Fields) => Object.keys(value).join(' ')
    expect(keys(await whole.ask('lab', 'send_message', { text: 'Hi' }))).toBe('message_id priority state warnings')
    expect(keys(await whole.ask('lab', 'trigger_email', { tag: 'PRESS', body: 'Hi' }))).toBe(
      'trigger_id tag target_group depth state warnings',
    )
    const task = await whole.ask('lab', 'schedule_task', often)
    expect(keys(task)).toBe(
      'task_id created status schedule_type schedule_value timezone context_mode next_fires fires_per_day warnings',
    )
    const { task_id } = task
    expect(keys(await whole.ask('lab', 'pause_task', { task_id }))).toBe('task_id status changed next_fires')
    expect(keys((await tasks(whole))[0]!)).toBe(
      'task_id name group prompt schedule_type schedule_value timezone context_mode status pause_reason running next_fires last_run consecutive_failures',
    )
    expect(keys(await whole.ask('lab', 'get_system_status'))).toBe(
      'uptime_s version now timezone imap smtp registered_groups active_tasks paused_tasks active_agents queued_runs next_due overdue dead_runs outbox digest triggers_last_hour triggers_unreceived processes search_provider',
    )
    const { entries } = (await whole.ask('main', 'get_activity_log', { limit: 1 })) as { entries: Fields[] }
    expect(keys(entries[0]!)).toBe('id ts event_type group task_id summary details')
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
    expect(only((await whole.runs())[0]!, 'outcome')).toEqual({ outcome: 'ok' })
    expect(await whole.events('system_started', 'agent_started', 'agent_completed', 'tool_refused')).toEqual([
      'system_started',
      'agent_started',
      'agent_completed',
      'tool_refused',
    ])
  })
})

function main(more: Fields): Fields {
  return {
    folder: 'main',
    tag: 'main',
    name: 'Main',
    admin: true,
    runner: { kind: 'command', argv: ['agent'] },
    ...more,
  }
}

import { describe, expect, it } from 'vitest'
import { type Fields, openWholeWorker, operator } from '../support/whole-worker.js'
import { often, tasksOf } from './stories.js'

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
    expect(keys((await tasksOf(whole))[0]!)).toBe(
      'task_id name group prompt schedule_type schedule_value timezone context_mode status pause_reason running next_fires last_run consecutive_failures',
    )
    expect(keys(await whole.ask('lab', 'get_system_status'))).toBe(
      'uptime_s version now timezone imap smtp registered_groups active_tasks paused_tasks active_agents queued_runs next_due overdue dead_runs outbox digest triggers_last_hour triggers_unreceived processes search_provider',
    )
    const { entries } = (await whole.ask('main', 'get_activity_log', { limit: 1 })) as { entries: Fields[] }
    expect(keys(entries[0]!)).toBe('id ts event_type group task_id summary details')
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

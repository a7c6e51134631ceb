import { describe, expect, it } from 'vitest'
import { type Fields, openWholeWorker, type WholeWorker } from '../support/whole-worker.js'
import { hour, minute, soon } from './stories.js'

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

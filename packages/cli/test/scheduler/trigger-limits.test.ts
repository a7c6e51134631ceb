import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it, vi } from 'vitest'
import { AgentSession, type Answer } from './support/agent-session.js'
import { SchedulerInstallation } from './support/scheduler-installation.js'

const tags = ['main', 'lab', 'press', 'shop', 'desk', 'yard']
const groups = tags.map((tag) => ({ folder: tag, tag, name: tag, admin: tag === 'main' }))
/** In the database, so that these are about the limits alone. */
const transport = { trigger_transport: 'internal' }

const trigger = (agent: AgentSession, tag: string) => agent.call('trigger_email', { tag, body: 'Work' })

const accepted = (answers: readonly Answer[]) => answers.filter(({ value }) => value !== undefined)
const refusals = (answers: readonly Answer[]) => new Set(answers.filter(({ value }) => !value).map(({ code }) => code))

async function kill(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}

describeBothDatabases('limits of triggers', ({ create }) => {
  it('hold over two schedulers, and over a restart of both: one for each pair, so many in an hour', async () => {
    const config = { ...transport, max_triggers_per_hour: 3 }
    const installation = new SchedulerInstallation({ groups, location: await create(), config })
    await installation.hub()
    const schedulers = await Promise.all([installation.scheduler(), installation.scheduler()])
    using agent = await AgentSession.open(installation)
    const store = await installation.store()
    const targets = async () =>
      (await store.db.selectFrom('triggers').select('target').execute()).map(({ target }) => target)

    // Many at once, so that both have some to answer.
    const answers = await Promise.all([...tags, ...tags, ...tags, ...tags].map((tag) => trigger(agent, tag)))
    expect(refusals(answers)).toEqual(new Set(['RATE_LIMITED']))
    const chosen = accepted(answers).map(({ value }) => value.target_group as string)
    expect(new Set(chosen).size).toBe(3)
    expect((await targets()).sort()).toEqual(chosen.sort())

    await kill(schedulers)
    await installation.scheduler()
    const [again, other] = [chosen[0]!, tags.find((tag) => !chosen.includes(tag))!]
    const ofPair = { code: 'RATE_LIMITED', message: expect.stringContaining('a moment ago') }
    expect(await trigger(agent, again)).toMatchObject(ofPair)
    expect(await trigger(agent, other)).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('hour'),
    })
    expect(await targets()).toHaveLength(3)
  }, 60_000)
})

it('both schedulers answer, and what one has accepted the other one counts', async () => {
  const installation = new SchedulerInstallation({ groups, config: transport })
  // A hub each: nobody else decides which one answers.
  const other = new SchedulerInstallation({
    groups,
    config: transport,
    variables: { CALLBOARD_DATA: installation.data },
  })
  await Promise.all([installation.hub(), other.hub()])
  await Promise.all([installation.scheduler(), other.scheduler()])
  using one = await AgentSession.open(installation)
  using two = await AgentSession.open(other)
  const answers = await Promise.all([trigger(one, 'lab'), trigger(two, 'lab')])
  expect(accepted(answers)).toHaveLength(1)
  expect(refusals(answers)).toEqual(new Set(['RATE_LIMITED']))
  await vi.waitFor(async () => expect((await one.get('get_system_status')).processes).toHaveLength(2), {
    timeout: 10_000,
  })
}, 60_000)

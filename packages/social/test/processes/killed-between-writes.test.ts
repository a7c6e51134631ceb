import { cp } from 'node:fs/promises'
import type { Store } from '@callboard/store'
import type { TestLocation } from '@callboard/store/testing'
import { defineWorker } from '@callboard/worker'
import { type Clock, systemClock } from '@callboard/worker/clock'
import { connectForTest } from '@callboard/worker/testing'
import { expect, it } from 'vitest'
import { openSocial } from '../../src/open-social.js'
import type { SocialSchema } from '../../src/records/schema.js'
import { operator } from '../support/call-tool.js'
import { allVerified, expectPostedOnce, sharedStore } from '../support/processes/outbox-state.js'
import { temporaryLocation } from '../support/processes/temporary-location.js'
import { WorkerProcess } from '../support/processes/worker-process.js'

const laterMs = 90_000
const text = 'Carving begins with the wood.'
/** What the dead process had leased is over. */
const later: Clock = {
  ...systemClock,
  now: () => systemClock.now() + laterMs,
  sleepUntil: (time, signal) => systemClock.sleepUntil(time - laterMs, signal),
}

/** One pending post for the network `local`. */
async function openPending(): Promise<TestLocation> {
  const location = await temporaryLocation()
  const proposing = await WorkerProcess.start({ location, config: {} })
  await proposing.call('propose_post', { parts: [text], kind: 'tweet' }, 'agent')
  await proposing.kill()
  return location
}

/** Approves and publishes, and dies before its n-th write. Whether it died. */
async function hasDied(location: TestLocation, store: Store<SocialSchema>, dieAt: number): Promise<boolean> {
  const dying = await WorkerProcess.start({ location, config: {}, dieAt })
  const work = dying
    .call('approve_item', { id: 1 }, 'operator')
    .then(() => dying.publish())
    .then(() => allVerified(store, 1))
  const isDone = await Promise.race([work.then(() => true), dying.ended.then(() => false)]).catch(() => false)
  await dying.kill()
  return !isDone
}

/** Another one, in this process, does what is left. */
async function goOn(location: TestLocation, store: Store<SocialSchema>): Promise<void> {
  const worker = defineWorker({ service: 'social', version: '1.0.0' })
  const variables = { CALLBOARD_LOG_LEVEL: 'fatal' }
  const social = await openSocial(worker, { ...location, variables }, { clock: later })
  try {
    const { status } = await store.db.selectFrom('approval_queue').select('status').executeTakeFirstOrThrow()
    // Whoever approved has no answer, and asks again.
    if (status === 'pending') await (await connectForTest(worker)).callTool('approve_item', { id: 1 }, operator)
    await social.start()
    await allVerified(store, 1)
  } finally {
    await social.close()
  }
}

const ownPosts = ({ db }: Store<SocialSchema>) =>
  db.selectFrom('local_posts').select('text').where('sample', '=', 0).execute()

it('killed right behind the commit of an approval: posted once', async () => {
  const location = await openPending()
  const store = await sharedStore(location)
  const approving = await WorkerProcess.start({ location, config: {} })
  await approving.call('approve_item', { id: 1 }, 'operator')
  await approving.kill()
  expect(await ownPosts(store)).toEqual([])
  await goOn(location, store)
  await expectPostedOnce(store, 1)
  expect(await ownPosts(store)).toEqual([{ text }])
})

it('kill -9 before each write of an approval and a publication: approved and posted once', async () => {
  const pending = await openPending()
  let dieAt = 0
  for (let isOver = false; !isOver; ) {
    dieAt += 1
    const location = await temporaryLocation()
    await cp(pending.dataDirectory, location.dataDirectory, { recursive: true })
    const store = await sharedStore(location)
    isOver = !(await hasDied(location, store, dieAt))
    await goOn(location, store)
    await expectPostedOnce(store, 1)
    expect(await ownPosts(store)).toEqual([{ text }])
  }
  // From the transaction that approves to the one that says that it was read back.
  expect(dieAt).toBeGreaterThan(18)
}, 300_000)

import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { allVerified, expectPostedOnce, sharedStore } from '../support/processes/outbox-state.js'
import { mastodonWithoutKeys } from '../support/processes/remote-networks.js'
import { WorkerProcess } from '../support/processes/worker-process.js'

const subjects = ['birch', 'maple', 'walnut', 'cherry', 'olive', 'beech', 'apple', 'plum', 'yew', 'alder']
const textOf = (subject: string) => `${subject} ${[...subject].reverse().join('')} makes ${subject}-spoons: ${subject}!`
const limits = {
  max_tweets_per_day: 100,
  max_mutations_per_hour: 100,
  min_action_delay_seconds: 0,
  max_action_delay_seconds: 0,
}
const business = { product_name: 'Spoonery', product_keywords: ['ladles'] }

describeBothDatabases('two replicas that approve and publish the same items at a time', (database) => {
  it('let each out once', async () => {
    await using remote = await mastodonWithoutKeys.open()
    const location = await database.create()
    const config = { business, limits, local: { enabled: true }, ...remote.config }
    const one = await WorkerProcess.start({ location, config })
    const other = await WorkerProcess.start({ location, config })
    const ids: number[] = []
    for (const [index, subject] of subjects.entries()) {
      const network = index % 2 === 0 ? 'local' : 'mastodon'
      const { id } = await one.call('propose_post', { parts: [textOf(subject)], kind: 'tweet', network }, 'agent')
      ids.push(id)
    }
    await Promise.all([one.publish(), other.publish()])
    const approve = (each: WorkerProcess, id: number) =>
      each.call('approve_item', { id }, 'operator').then(
        () => 'approved',
        // The other one was first, and it is on its way already.
        (error: Error) => /conflict/.exec(error.message)?.[0] ?? error.message,
      )
    const outcomes = await Promise.all(ids.flatMap((id) => [approve(one, id), approve(other, id)]))
    expect(outcomes.filter((outcome) => outcome !== 'approved' && outcome !== 'conflict')).toEqual([])

    const store = await sharedStore(location)
    await allVerified(store, 10)
    for (const id of ids) await expectPostedOnce(store, 1, id)
    const local = await store.db.selectFrom('local_posts').select('text').where('sample', '=', 0).execute()
    const texts = subjects.map(textOf)
    expect(local.map(({ text }) => text).sort()).toEqual(texts.filter((_, index) => index % 2 === 0).sort())
    expect(
      remote
        .posts()
        .map(({ text }) => text)
        .sort(),
    ).toEqual(texts.filter((_, index) => index % 2 === 1).sort())
  }, 60_000)
})

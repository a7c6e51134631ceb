import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { sendTrigger } from '../../src/triggers/send-trigger.js'
import { startTrigger } from '../../src/triggers/start-trigger.js'
import { openMailParts } from '../support/mail-parts.js'

describeBothDatabases('a trigger', (database) => {
  it('is consumed by one, whoever comes with it, too', async () => {
    await using parts = await openMailParts({ location: await database.create() })
    const request = { source: 'lab', depth: 0, tag: 'main', subjectSuffix: 'x', body: 'y' }
    const { trigger } = await parts.store.transaction((db) => sendTrigger(db, parts, request))
    const start = () => parts.store.transaction((db) => startTrigger(db, parts, trigger, 'mail'))
    expect([await start(), await start()]).toEqual([true, false])
    expect(await parts.runs()).toHaveLength(1)
    expect(await parts.events()).toEqual(['trigger_received'])
  })
})

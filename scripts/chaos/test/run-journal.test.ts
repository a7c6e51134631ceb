import { expect, it } from 'vitest'
import { parseJournal } from '../run-journal.js'

it('reads what a replica has run', () => {
  const text = 'start call-1 record 10.5\nstart call-2 read 11\nend call-1 record 12\n'
  expect(parseJournal('replica-0', text)).toEqual([
    { canary: 'call-1', kind: 'record', process: 'replica-0', startedAt: 10.5, endedAt: 12 },
    { canary: 'call-2', kind: 'read', process: 'replica-0', startedAt: 11 },
  ])
})

it('keeps two runs of one call apart', () => {
  const text = 'start call-1 read 10\nstart call-1 read 11\nend call-1 read 12\n'
  expect(parseJournal('replica-0', text)).toMatchObject([{ startedAt: 10, endedAt: 12 }, { startedAt: 11 }])
})

it('leaves out a line that a killed replica did not finish', () => {
  expect(parseJournal('replica-0', 'start call-1 record 10\nstart call-2')).toHaveLength(1)
})

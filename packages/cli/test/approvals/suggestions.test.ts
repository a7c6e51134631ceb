import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { approvalId, shortSuggestionId } from '../../src/approvals/approval-id.js'
import { Installation } from '../support/installation.js'

const social = fileURLToPath(new URL('social-worker.mjs', import.meta.url))
const qda = fileURLToPath(new URL('qda-worker.mjs', import.meta.url))

const codings = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
const metadata = '12345678-1717-4562-b3fc-2c963f66afa6'
const stale = 'abcdef00-0000-4000-8000-000000000000'
const rejected = 'dddddd00-0000-4000-8000-000000000000'

/** A hub with a qda worker, and a social one where it is asked for. `withdrawn`: a suggestion that is gone when it is approved. */
async function open({ withSocial = false, workers = 'qda', withdrawn = '' } = {}) {
  const installation = new Installation({ CALLBOARD_WORKERS: workers })
  await installation.hub()
  const worker = await installation.worker(qda, [withdrawn])
  if (withSocial) await installation.worker(social)
  const approvals = (...words: string[]) => installation.run(['approvals', ...words])
  const suggestion = async (id: string) => JSON.parse((await approvals('show', id, '--json')).stdout)
  return { worker, approvals, suggestion }
}

describe('callboard approvals with a qda worker', () => {
  it('lists suggestions after posts', async () => {
    const { approvals } = await open({ withSocial: true })
    const { code, stdout, stderr } = await approvals('--limit', '2')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')).toEqual([
      'ID  KIND    NETWORK   TO  BY         AGE  EXPIRES  RISKS  TEXT',
      expect.stringMatching(/^7 /),
      expect.stringMatching(/^8 /),
      '',
      'ID          KIND      PROJECT               BY         AGE  TEXT',
      '3fa85f64    codings   Interviews            agent:ada  3 h  Two passages speak of loneliness.',
      '12345678-1  metadata  Field\\u001b[2J notes  agent:ada  3 h  {"source_id":4,"language":"de"}',
      '',
      'More wait: --limit shows up to 200.',
      '',
    ])
    const { items, suggestions, has_more, away } = JSON.parse((await approvals('list', '--json')).stdout)
    expect(items.map(({ id }: { id: number }) => id)).toEqual([7, 8, 9])
    expect(suggestions).toHaveLength(4)
    expect(suggestions[0]).toMatchObject({ id: codings, payload: { source_id: 3 } })
    expect({ has_more, away }).toEqual({ has_more: false, away: [] })
    expect((await approvals('--network', 'mastodon')).stdout).not.toContain('3fa85f64')
  })

  it('says of a worker that should be there and is not, but not of one that nobody has', async () => {
    const alone = await open()
    expect((await alone.approvals()).stdout).not.toContain('social')
    const missed = await open({ workers: 'social,qda' })
    expect(await missed.approvals()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^ID +KIND +PROJECT .*\n\nThe worker social is not signed in at the hub: start it .*\n$/s,
      ),
    })
    expect(JSON.parse((await missed.approvals('--json')).stdout)).toMatchObject({ items: [], away: ['social'] })
    missed.worker.kill()
    await once(missed.worker, 'exit')
    await vi.waitFor(async () => expect(await missed.approvals()).toMatchObject({ code: 1, stdout: '' }))
  })

  it('shows a suggestion whole, and nothing in it can pass for what we say', async () => {
    const { approvals } = await open()
    expect((await approvals('show', '3FA85F64')).stdout.split('\n')).toEqual([
      `Suggestion ${codings}: codings, pending`,
      '  project     /home/ada/Interviews.qda',
      expect.stringMatching(/^ {2}proposed {4}.*Z \(3 h ago\) by agent:ada$/),
      '  because     Two passages speak of\\u000aloneliness.',
      '',
      'What suggest_codings is asked for:',
      '  | {',
      '  |   "source_id": 3,',
      '  |   "items": [',
      '  |     {',
      '  |       "code_id": 7,',
      '  |       "quote": "I felt\\u202e alone"',
      '  |     }',
      '  |   ]',
      '  | }',
      '',
    ])
    expect((await approvals('show', rejected)).stdout).toMatch(
      /, rejected\n.*\n {2}decided {5}.*Z \(60 min ago\) by operator:root\n {2}reason {6}not a theme\n/s,
    )
  })

  it('says what there is not', async () => {
    const { approvals } = await open()
    expect(await approvals('show', 'ffffff')).toMatchObject({
      code: 1,
      stderr: 'callboard: There is no suggestion ffffff.\n',
    })
    expect(await approvals('show', '3fa85f')).toMatchObject({
      code: 1,
      stderr: `callboard: 3fa85f begins the ids of 2 suggestions: ${codings}, 3fa85f70-0000-4000-8000-000000000000.\n`,
    })
    for (const [words, sentence] of [
      [['show', '3fa85'], "It must be the number of an item, or 6 or more characters of a suggestion's id"],
      [['reject', '3fa85f64'], 'Say why with --reason'],
      [['approve', '7', '--as-attributes', '--yes'], '--as-attributes goes with suggestions.'],
      [['edit', '3fa85f64'], 'It must be the number of an item'],
    ] as const) {
      expect(await approvals(...words)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) })
    }
  })

  it('approves what it shows, posts and suggestions alike', async () => {
    const { approvals, suggestion } = await open({ withSocial: true })
    const { code, stdout, stderr } = await approvals('approve', '7', '3fa85f64', '--yes')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /Approved item 7: .*\nSuggestion 3fa85f64-.*"source_id": 3.*\nApproved suggestion 3fa85f64-/s,
    )
    expect(await suggestion(codings)).toMatchObject({ status: 'approved', reason: null })
    await approvals('approve', '12345678-1', '--as-attributes', '--yes')
    expect(await suggestion(metadata)).toMatchObject({ status: 'approved', reason: 'as attributes' })
  })

  it('approves only what waits, and says what came of the others', async () => {
    const { approvals } = await open({ withdrawn: codings })
    expect(await approvals('approve', 'dddddd', 'abcdef', '3fa85f64', 'ffffff', '--yes')).toMatchObject({
      code: 1,
      stderr: [
        `callboard: Suggestion ${rejected} is rejected: only what is pending can be approved.`,
        `callboard: Suggestion ${stale} is stale: what it is about has changed, so nothing was done.`,
        `callboard: Suggestion ${codings} was not approved. Suggestion ${codings} is withdrawn. (ALREADY_DECIDED)`,
        'callboard: There is no suggestion ffffff.',
        '',
      ].join('\n'),
    })
  })

  it('rejects with a reason', async () => {
    const { approvals, suggestion } = await open()
    expect(await approvals('reject', '3fa85f64', '--reason', 'too broad')).toEqual({
      code: 0,
      stdout: `Rejected suggestion ${codings}.\n`,
      stderr: '',
    })
    expect(await suggestion(codings)).toMatchObject({ status: 'rejected', reason: 'too broad' })
    expect(await approvals('reject', '3fa85f64', '--reason', 'again')).toMatchObject({
      code: 1,
      stderr: `callboard: Suggestion ${codings} is rejected. (ALREADY_DECIDED)\n`,
    })
  })
})

describe('the id of what waits', () => {
  it.each([codings, metadata, stale, '99999999-9999-4999-9999-999999999999'])('as it is listed is taken: %s', (id) => {
    const short = shortSuggestionId(id)
    expect(id.startsWith(short)).toBe(true)
    expect(approvalId(short)).toBe(short)
    expect(approvalId(id.toUpperCase())).toBe(id)
  })

  it('is a number where it has digits alone', () => {
    expect(approvalId('12345678')).toBe(12_345_678)
  })
})

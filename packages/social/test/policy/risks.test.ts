import { afterEach, beforeEach, expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { type Origin, risksOf } from '../../src/policy/risks.js'
import type { Candidate, ReplyTarget } from '../../src/policy/safety-checks.js'
import { addItem } from '../support/add-item.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

let foundation: TestFoundation

beforeEach(async () => {
  foundation = await openTestFoundation()
})
afterEach(() => foundation[Symbol.asyncDispose]())

const target: ReplyTarget = {
  id: 'post-1',
  url: 'local:post-1',
  authorId: 'a-1',
  author: 'grace',
  text: 'What do you think?',
  addressesUs: true,
}

function risks(given: Partial<Candidate>, origin?: Origin): Promise<readonly string[]> {
  const action = given.target === undefined ? 'tweet' : 'reply'
  const at = foundation.clock.now()
  const candidate: Candidate = { network: 'local', account: 'you', action, parts: ['Plain words.'], at, ...given }
  return risksOf(foundation.store.db, candidate, parseSocialConfig({}), origin)
}

it('is nothing where there is none', async () => {
  expect(await risks({})).toEqual([])
  expect(await risks({ target, parts: ['@grace I think so 👩‍👩‍👧.'] }, { generatedBy: 'llm' })).toEqual([])
})

it.each<[string, Partial<Candidate>, Origin | undefined, string]>([
  [
    'a reply to a stranger',
    { target: { ...target, addressesUs: false } },
    undefined,
    '@grace did not address us: the reply comes unasked.',
  ],
  ['a template', {}, { generatedBy: 'template' }, 'The text comes from a template: nobody wrote it for this.'],
  ['the product in a reply', { target, parts: ['Try Callboard'] }, undefined, 'It names our product, Callboard.'],
  [
    'links',
    { parts: ['https://a.example/x http://a.example', 'HTTPS://user:pw@b.example'] },
    undefined,
    'It links to a.example, b.example.',
  ],
  [
    'others',
    { target, parts: ['@grace @bob@x.example and @eve. mail: me@x.org'] },
    undefined,
    'It mentions @bob@x.example, @eve.',
  ],
  [
    'unseen characters',
    { parts: ['read \u202Eti'] },
    undefined,
    'It holds characters that can not be seen, and may read otherwise elsewhere.',
  ],
  ['many', { parts: ['@a @b @c @d @e @f'] }, undefined, 'It mentions @a, @b, @c, @d, @e and more.'],
])('tells of %s', async (_, given, origin, sentence) => {
  expect(await risks(given, origin)).toEqual([sentence])
})

it('tells what was nearly said before', async () => {
  const { id } = await addItem(foundation.store.db, 0, { text: 'one two three four five six seven', status: 'posted' })
  expect(await risks({ parts: ['one two three four five six other'] })).toEqual([
    `Item ${id} said nearly the same: 67 % of the word triples, too much to be sent.`,
  ])
  expect(await risks({ parts: ['one two three four five other end'] })).toEqual([
    `Item ${id} said nearly the same: 43 % of the word triples.`,
  ])
  expect(await risks({ parts: ['one two three four other words end'] })).toEqual([])
})

it('tells of another reply that waits', async () => {
  const own = await addItem(foundation.store.db, 0, { target })
  expect(await risks({ target, itemId: own.id })).toEqual([])
  const { id } = await addItem(foundation.store.db, 0, { target })
  await addItem(foundation.store.db, 0, { target, status: 'rejected' })
  expect(await risks({ target, itemId: own.id })).toEqual([
    `Another reply to the same post waits, too: item ${id}; only one of them can go out.`,
  ])
})

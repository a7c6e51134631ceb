import { expect, it } from 'vitest'
import { openQdaForTest } from '../support/whole-qda.js'

const operator = { principal: 'operator:lea', roles: ['operator'], session: 'session-of-lea' } as const

async function opened() {
  const qda = await openQdaForTest({ config: { approval: 'human', levels: { add_text_source: 'T4' } } })
  const path = await qda.openProject()
  qda.db(path).exec(`INSERT INTO source (id, name, fulltext, date) VALUES (1, 'a.txt', 'one two', '2026-01-01');
    INSERT INTO code_name (cid, name) VALUES (1, 'hope')`)
  const listed = async () => (await qda.call('list_suggestions', {}, operator))['data'].suggestions
  return { qda, listed }
}

it('is told to who decides on a removal, by names', async () => {
  const { qda, listed } = await opened()
  await using _ = qda
  await qda.call('remove_source', { source_id: 1, confirm: true })
  expect(await listed()).toMatchObject([
    { about: { source_name: 'a.txt', message: "This will delete source 'a.txt' and 0 coded segment(s)" } },
  ])
})

it('is told of a coding that is suggested: the code, the source, the words', async () => {
  const { qda, listed } = await opened()
  await using _ = qda
  const items = [{ code_id: 1, quote: 'two', rationale: 'Here it is.' }]
  await qda.call('suggest_codings', { source_id: 1, items })
  expect(await listed()).toMatchObject([
    { about: { code_name: 'hope', source_name: 'a.txt', message: "Code 'hope' on: two" }, rationale: 'Here it is.' },
  ])
})

it("is told of somebody else's change that is to be taken back", async () => {
  const { qda, listed } = await opened()
  await using _ = qda
  const { change_set_id } = await qda.call('create_folder', { name: 'Interviews' })
  const bob = { principal: 'agent:bob', session: 'session-of-bob' }
  await qda.call('open_project', { path: `${qda.folder}/Study.qda` }, bob)
  await qda.call('undo_change_set', { change_set_id }, bob)
  const [{ about }] = await listed()
  expect(about.message).toMatch(/^Take back create_folder of agent:main/)
})

it('is refused where it is more than anybody reads', async () => {
  const { qda, listed } = await opened()
  await using _ = qda
  const long = { name: 'long.txt', content: 'x'.repeat(1_100_000) }
  expect(await qda.call('add_text_source', long)).toMatchObject({ error_code: 'INVALID_ARGUMENT' })
  expect(await qda.call('add_text_source', { ...long, content: 'x'.repeat(900_000) })).toMatchObject({
    data: { status: 'pending_approval' },
  })
  expect(await listed()).toHaveLength(1)
})

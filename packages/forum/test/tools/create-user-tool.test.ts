import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createPostTool } from '../../src/tools/create-post-tool.js'
import { createUserTool } from '../../src/tools/create-user-tool.js'
import { keyCredential } from '../support/test-call.js'
import { openWriteRig, type WriteRig } from '../support/write-rig.js'

const tool = createUserTool()
const args = { username: 'cleo', email: 'cleo@village.test', name: 'Cleo Marsh', password: 'swordfish-under-water' }

const asMayor = (rig: WriteRig) => ({ credential: keyCredential(rig.server.keys.adminAs('mayor')) })

it('creates an account', async () => {
  await using rig = await openWriteRig()
  const answer = await rig.write(tool, args, asMayor(rig))
  expect(answer).toEqual({
    success: true,
    username: 'cleo',
    name: 'Cleo Marsh',
    email: 'cleo@village.test',
    active: true,
    message: expect.any(String),
    user_id: rig.server.forum.users.find('cleo')!.id,
    confirmed: true,
    outcome: 'done',
  })
})

it('keeps the pace of the other writes', async () => {
  await using rig = await openWriteRig()
  const start = rig.clock.now()
  const topic = rig.server.forum.addTopic({ title: 'Bees in the mill', username: 'bob', raw: 'There are bees.' })
  const answers = [
    rig.begin(createPostTool(), { topic_id: topic.id, raw: 'I will come with a box.' }),
    rig.begin(tool, args, asMayor(rig)),
  ]
  await rig.pass(1000)
  await Promise.all(answers)
  expect(rig.times(/^POST/, start)).toEqual([0, 1000])
})

it('is refused without an admin key, before anything is sent', async () => {
  await using rig = await openWriteRig()
  const credential = keyCredential(rig.server.keys.user('mayor'))
  expect(await rig.refusal(tool, args, { credential })).toMatchObject({
    code: 'forbidden',
    details: { outcome: 'rejected' },
  })
  expect(rig.server.requests).toEqual([])
})

it('is rejected with what is wrong with each field', async () => {
  await using rig = await openWriteRig()
  const failure = await rig.refusal(tool, { ...args, username: 'bob' }, asMayor(rig))
  expect(failure).toMatchObject({
    code: 'rejected',
    details: { outcome: 'rejected', errors: ['username must be unique'] },
  })
  expect(failure.message).toContain('username must be unique')
})

it('does not claim an account that the forum does not confirm', async () => {
  await using rig = await openWriteRig()
  rig.server.forum.addUser('dora', { email: args.email })
  const answer = await rig.write(tool, args, asMayor(rig))
  expect(answer).toMatchObject({ success: true, confirmed: false, outcome: 'done' })
  expect(answer).not.toHaveProperty('user_id')
})

it('finds by its name an account that was lost, and none that was there before', async () => {
  await using rig = await openWriteRig()
  rig.server.fault({ on: /^POST/, kind: 'cut' })
  const answer = await rig.write(tool, args, asMayor(rig))
  expect(answer).toMatchObject({ user_id: rig.server.forum.users.find('cleo')!.id, confirmed: true, recovered: true })
  rig.clock.advance(60_000)
  rig.server.fault({ on: /^POST/, kind: 'drop' })
  const again = { ...args, idempotency_key: 'k2' }
  expect(await rig.refusal(tool, again, asMayor(rig))).toMatchObject({ code: 'outcome_unknown' })
})

it('leaves the password nowhere in the database, nor in what makes two calls one', async () => {
  await using rig = await openWriteRig()
  rig.server.fault({ on: /^POST/, kind: 'drop' })
  await rig.refusal(tool, args, asMayor(rig))
  const other = await rig.refusal(tool, { ...args, password: 'another-fish-entirely' }, asMayor(rig))
  expect(other.code).toBe('outcome_unknown')
  expect(rig.server.seen(/^POST/).length).toBe(1)
  await rig.write(tool, { ...args, username: 'dora', email: 'dora@village.test' }, asMayor(rig))
  const files = await readdir(rig.location.dataDirectory)
  const bytes = Buffer.concat(await Promise.all(files.map((name) => readFile(join(rig.location.dataDirectory, name)))))
  expect(bytes.includes('discourse_create_user')).toBe(true)
  for (const secret of [args.password, 'another-fish-entirely', rig.server.keys.admin.key]) {
    expect(bytes.includes(secret)).toBe(false)
  }
})

import { startForumServer } from '@callboard/forum/demo'
import { expect, it } from 'vitest'
import { groupsResource } from '../../src/resources/groups-resource.js'
import { keyCredential, testCall } from '../support/test-call.js'

// biome-ignore lint/suspicious/noExplicitAny: each test knows what is in it.
const read = (call: ReturnType<typeof testCall>): Promise<any> => groupsResource.read(call)

it('has 40 of 40, in two requests', async () => {
  await using server = await startForumServer({ village: false })
  for (let number = 1; number <= 40; number += 1) server.forum.addGroup(`circle${number}`)
  const { groups, meta } = await read(testCall(server.base))
  expect(meta).toEqual({ total: 40 })
  expect(new Set(groups.map(({ name }: { name: string }) => name)).size).toBe(40)
  expect(server.seen(/groups\.json/).map(({ path }) => path)).toEqual(['/groups.json?page=0', '/groups.json?page=1'])
})

it('asks for no second page where the first one has all', async () => {
  await using server = await startForumServer({ village: false })
  for (let number = 1; number <= 36; number += 1) server.forum.addGroup(`circle${number}`)
  expect((await read(testCall(server.base))).meta).toEqual({ total: 36 })
  expect(server.seen(/groups\.json/)).toHaveLength(1)
})

it('has who may see, mention and write to each', async () => {
  await using server = await startForumServer({ village: false })
  const members = new Set(['ada'])
  const group = server.forum.addGroup('bakers', {
    members,
    membersVisibility: 2,
    mentionable: 3,
    messageable: 4,
    publicAdmission: true,
    allowRequests: true,
  })
  expect((await read(testCall(server.base))).groups).toEqual([
    {
      id: group.id,
      name: 'bakers',
      automatic: false,
      user_count: 1,
      vis: 0,
      members_vis: 2,
      mention: 3,
      msg: 4,
      public_admission: true,
      public_exit: false,
      allow_membership_requests: true,
    },
  ])
})

it('has the automatic ones for staff', async () => {
  await using server = await startForumServer({ village: false })
  const { groups } = await read(testCall(server.base, { credential: keyCredential(server.keys.admin) }))
  expect(groups).toContainEqual(expect.objectContaining({ name: 'trust_level_1', automatic: true }))
})

it('is an error where the directory is off', async () => {
  await using server = await startForumServer({ village: false, groupDirectory: false })
  await expect(read(testCall(server.base))).rejects.toMatchObject({ code: 'forbidden', details: { status: 403 } })
})

it('is an error where the second page can not be had', async () => {
  await using server = await startForumServer({ village: false })
  for (let number = 1; number <= 40; number += 1) server.forum.addGroup(`circle${number}`)
  server.fault({ on: /page=1/, kind: 'status', status: 429, json: { error_type: 'rate_limit' } })
  await expect(read(testCall(server.base))).rejects.toMatchObject({ code: 'rate_limited' })
})

it('goes on where pages are smaller, and ends where a forum gives the same page again and again', async () => {
  await using server = await startForumServer({ village: false })
  const page = (first: number) => [first, first + 1].map((id) => ({ id, name: `circle${id}` }))
  const answer = (first: number) => ({ groups: page(first), total_rows_groups: 90, load_more_groups: '/groups?page=9' })
  server.fault({ on: /page=0/, kind: 'status', status: 200, json: answer(41) })
  server.fault({ on: /page=/, kind: 'status', status: 200, json: answer(43), times: Number.POSITIVE_INFINITY })
  const { meta } = await read(testCall(server.base))
  expect(meta).toEqual({ total: 4 })
  expect(server.seen(/groups/)).toHaveLength(3)
})

it('stops after 50 pages, and says that something is missing', async () => {
  await using server = await startForumServer({ village: false })
  for (let number = 1; number <= 51 * 36; number += 1) server.forum.addGroup(`circle${number}`)
  const { groups, meta } = await read(testCall(server.base))
  expect(groups).toHaveLength(50 * 36)
  expect(meta).toEqual({ total: 50 * 36, complete: false })
})

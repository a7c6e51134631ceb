import { z } from 'zod'
import { requireUser } from '../identity/forum-user.js'
import { integerAt, isRecord, type JsonRecord, textAt, truthAt } from '../json/read-json.js'
import { filterLengthMax, usersPerPage } from '../limits.js'
import { page, textOf } from './common-input.js'
import { readTool, type ToolCall } from './forum-tool.js'
import { unexpectedAnswer } from './unexpected-answer.js'
import { untrustedText } from './untrusted-text.js'
import { withHint } from './with-hint.js'

const userShape = z.strictObject({
  id: z.int(),
  username: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable().describe('null unless show_emails'),
  trust_level: z.int().nullable(),
  created_at: z.string().nullable(),
  last_seen_at: z.string().nullable(),
  admin: z.boolean(),
  moderator: z.boolean(),
  suspended: z.boolean(),
  silenced: z.boolean(),
})

export const listUsersTool = () =>
  readTool({
    name: 'discourse_list_users',
    title: 'List users',
    description:
      "Lists the forum's users as its administrators see them, 100 a page; needs a key of an admin. While meta.has_more, go on " +
      `with the next page. For the profile of one: discourse_get_user. ${untrustedText}`,
    input: z.strictObject({
      query: z
        .enum(['active', 'new', 'staff', 'suspended', 'silenced', 'pending', 'staged'])
        .default('active')
        .describe('Which of them; pending: not approved yet'),
      filter: textOf(1, filterLengthMax, 'Part of a username, name or email, or an IP address').optional(),
      order: z
        .string()
        .regex(/^[a-z_]{1,40}$/)
        .describe('E.g. created, seen, username, email, trust_level, posts; the order of the forum itself')
        .optional(),
      asc: z.boolean().default(false).describe('Smallest first'),
      page,
      show_emails: z.boolean().default(false).describe('With addresses; the forum records in its staff log who asked'),
    }),
    output: z.strictObject({
      users: z.array(userShape),
      meta: z.strictObject({ page: z.int(), limit: z.int(), has_more: z.boolean() }),
    }),
    async read({ query, filter, order, asc, page, show_emails }, call) {
      requireUser(call, 'Lists of users')
      const asked = [
        ...(filter === undefined ? [] : [['filter', filter] as const]),
        ...(order === undefined ? [] : [['order', order] as const]),
        ...(asc ? [['asc', true] as const] : []),
        ...(show_emails ? [['show_emails', true] as const] : []),
      ]
      const rowsOf = (number: number) => usersOn(number, query, asked, call)
      const rows = await rowsOf(page)
      return {
        users: rows.map(userOf),
        // Only the next page tells whether a full one is the last.
        meta: {
          page,
          limit: usersPerPage,
          has_more: rows.length >= usersPerPage && (await rowsOf(page + 1)).length > 0,
        },
      }
    },
  })

/** Their page, from 0; the forum counts from 1. */
async function usersOn(
  number: number,
  which: string,
  asked: readonly (readonly [string, string | boolean])[],
  { client, scope }: ToolCall,
): Promise<readonly JsonRecord[]> {
  const request = client.get(`/admin/users/list/${which}.json`, [...asked, ['page', number + 1]], scope)
  // To everybody else the forum says that there is no such page.
  const answer = await withHint('not_found', 'Only the key of an admin may list users.', request)
  if (!Array.isArray(answer)) throw unexpectedAnswer('a list of users')
  return answer.filter(isRecord).slice(0, usersPerPage)
}

function userOf(row: JsonRecord): z.input<typeof userShape> {
  // Users of the system have ids below zero.
  const id = integerAt(row, 'id')
  const username = textAt(row, 'username')
  if (id === undefined || username === undefined) throw unexpectedAnswer('id and name of a user')
  return {
    id,
    username,
    name: textAt(row, 'name') ?? null,
    email: textAt(row, 'email') ?? null,
    trust_level: integerAt(row, 'trust_level') ?? null,
    created_at: textAt(row, 'created_at') ?? null,
    last_seen_at: textAt(row, 'last_seen_at') ?? null,
    admin: truthAt(row, 'admin') ?? false,
    moderator: truthAt(row, 'moderator') ?? false,
    suspended: truthAt(row, 'suspended') ?? false,
    silenced: truthAt(row, 'silenced') ?? false,
  }
}

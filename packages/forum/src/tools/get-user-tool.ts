import { z } from 'zod'
import { pathPart } from '../http/request-url.js'
import { cutText } from '../json/cut-text.js'
import { integerAt, recordAt, textAt, truthAt } from '../json/read-json.js'
import { bioLengthMax } from '../limits.js'
import { readTool } from './forum-tool.js'
import { unexpectedAnswer } from './unexpected-answer.js'
import { untrustedText } from './untrusted-text.js'

export const getUserTool = () =>
  readTool({
    name: 'discourse_get_user',
    title: 'Look up a user',
    description:
      'Shows the profile of a user. null is what the forum does not tell; with profile_hidden: true that is nearly all. ' +
      `Posts: discourse_list_user_posts. ${untrustedText}`,
    input: z.strictObject({ username: z.string().min(1).describe('Name without @') }),
    output: z.strictObject({
      id: z.int(),
      username: z.string(),
      name: z.string().nullable(),
      trust_level: z.int().nullable(),
      created_at: z.string().nullable(),
      bio: z.string().nullable(),
      bio_truncated: z.boolean(),
      admin: z.boolean(),
      moderator: z.boolean(),
      profile_hidden: z.boolean(),
    }),
    async read({ username }, { client, scope }) {
      const user = recordAt(await client.get(`/u/${pathPart(username)}.json`, [], scope), 'user')
      // System users have ids below zero.
      const id = integerAt(user, 'id')
      if (id === undefined) throw unexpectedAnswer('the user')
      const bio = textAt(user, 'bio_raw')
      const { text, isCut } = cutText(bio ?? '', bioLengthMax)
      return {
        id,
        username: textAt(user, 'username') ?? username,
        name: textAt(user, 'name') ?? null,
        trust_level: integerAt(user, 'trust_level') ?? null,
        created_at: textAt(user, 'created_at') ?? null,
        bio: bio === undefined ? null : text,
        bio_truncated: isCut,
        admin: truthAt(user, 'admin') ?? false,
        moderator: truthAt(user, 'moderator') ?? false,
        profile_hidden: truthAt(user, 'profile_hidden') ?? false,
      }
    },
  })

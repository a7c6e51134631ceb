import { z } from 'zod'
import { ForumFailure } from '../failure/forum-failure.js'
import { forumWords, inOneSentence } from '../http/forum-words.js'
import { pathPart } from '../http/request-url.js'
import { idAt, recordAt, textAt, truthAt } from '../json/read-json.js'
import { writeInput } from '../writes/write-shape.js'
import { textOf } from './common-input.js'
import { writeTool } from './forum-tool.js'
import { isMadeSince } from './posts/same-text.js'
import { unexpectedAnswer } from './unexpected-answer.js'

export const createUserTool = () =>
  writeTool({
    name: 'discourse_create_user',
    title: 'Create a user',
    description:
      'Creates an account. The key must be an admin key. With confirmed false the forum does not tell whether there is a new account, ' +
      'as it does when the address has one already.',
    input: writeInput({
      username: textOf(1, 20, 'Its name on the forum'),
      email: z.email().describe('Its address'),
      name: textOf(1, 255, 'The name of the person'),
      password: textOf(10, 200, 'A secret; never stored or shown'),
      active: z.boolean().default(true).describe('Whether it can be used without a mail to its address'),
      approved: z.boolean().default(true).describe('Whether nobody has to approve it'),
    }),
    output: z.strictObject({
      success: z.boolean(),
      username: z.string(),
      name: z.string(),
      email: z.string(),
      active: z.boolean().nullable(),
      message: z.string().nullable(),
      user_id: z.int().optional(),
      confirmed: z.boolean(),
    }),
    marks: { destructiveHint: false, idempotentHint: false },
    secrets: ['password'],
    async prepare(_, { selection }) {
      if (selection.credential.kind === 'api_key') return
      throw new ForumFailure(
        'forbidden',
        'Accounts are created with an admin key, and this forum is used with the key of one user. Its operator can add an auth_pairs entry with api_key and api_username.',
      )
    },
    request: ({ username, email, name, password, active, approved }) => ({
      method: 'POST',
      path: '/users.json',
      json: { username, email, name, password, active, approved },
    }),
    effect(answer, { username, name, email }) {
      const success = truthAt(answer, 'success')
      const message = textAt(answer, 'message') ?? null
      if (success === false) throw refusal(answer, message)
      if (success !== true) throw unexpectedAnswer('what became of the account')
      const userId = idAt(answer, 'user_id')
      const active = truthAt(answer, 'active') ?? null
      const output = { success, username, name, email, active, message }
      return {
        output:
          userId === undefined ? { ...output, confirmed: false } : { ...output, user_id: userId, confirmed: true },
      }
    },
    lookFirst: 'ask for the user with discourse_get_user.',
    async find({ username, name, email }, { client, scope }, sentAt) {
      const user = recordAt(await client.get(`/u/${pathPart(username)}.json`, [], scope), 'user')
      const userId = idAt(user, 'id')
      if (userId === undefined || !isMadeSince(user, sentAt)) return undefined
      const active = truthAt(user, 'active') ?? null
      return { success: true, username, name, email, active, message: null, user_id: userId, confirmed: true }
    },
  })

function refusal(answer: unknown, message: string | null): ForumFailure {
  const { errors } = forumWords({ errors: recordAt(answer, 'errors') })
  const why = inOneSentence(forumWords(message === null ? errors : [message]))
  return new ForumFailure('rejected', `The forum did not create the account. ${why || 'It does not say why.'}`, {
    status: 200,
    ...(errors.length > 0 ? { errors } : why !== '' && { errors: [why] }),
    outcome: 'rejected',
  })
}

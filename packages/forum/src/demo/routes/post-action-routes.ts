import { requireUser } from '../auth.js'
import { json } from '../http/answer.js'
import { invalidParameters, notPermitted } from '../http/refusal.js'
import { postJson } from './post-json.js'
import { readablePost } from './post-routes.js'
import { post, type Route } from './route.js'

const like = 2
const flags = [3, 4, 7, 8]

export const postActionRoutes: readonly Route[] = [
  post('/post_actions.json', ({ input, visitor }, { forum }) => {
    const user = requireUser(visitor)
    const found = readablePost(forum, input.required('id'), visitor)
    const type = input.integer('post_action_type_id')
    if (type !== like && !flags.includes(type ?? 0)) throw invalidParameters('post_action_type_id')
    if (type === like && (found.username === user.username || found.likedBy.has(user.username))) throw notPermitted()
    if (type === like) found.likedBy.add(user.username)
    return json(postJson(forum, found, user, false))
  }),
]

import { recordAt, textAt } from '../../json/read-json.js'
import { requireUser } from '../auth.js'
import { html, json, success } from '../http/answer.js'
import { invalidParameters, missingParameter, notFound, notPermitted, Refusal } from '../http/refusal.js'
import { parseJson } from '../http/request-body.js'
import { draftsPerPageMax, excerptMax } from '../limits.js'
import type { Draft } from '../model/drafts.js'
import { avatarOf, iso } from './iso.js'
import { type ForumRequest, get, post, type Route, remove, type Site } from './route.js'

export const draftRoutes: readonly Route[] = [
  get('/drafts.json', ({ input, visitor }, site) => {
    const user = requireUser(visitor)
    const limit = input.limited('limit', draftsPerPageMax, draftsPerPageMax, 0)
    const offset = Math.max(0, input.integer('offset') ?? 0)
    const drafts = site.forum.drafts.of(user).slice(offset, offset + limit)
    return json({ drafts: drafts.map((draft) => rowJson(draft, site)), no_results_help: 'You have no drafts.' })
  }),
  get('/drafts/:key.json', ({ params, input, visitor }, { forum: { drafts } }) => {
    const user = requireUser(visitor)
    const current = drafts.sequence(user, params['key']!)
    // Core raises here, and nobody catches it.
    if (input.has('sequence') && input.integer('sequence') !== current) throw new Refusal(html(brokenPage, 500))
    return json({ draft: drafts.find(user, params['key']!)?.data ?? null, draft_sequence: current })
  }),
  post('/drafts.json', saveDraft),
  remove('/drafts/:key.json', deleteDraft),
]

const brokenPage = '<!DOCTYPE html><html><head><title>Oops</title></head><body><h1>Oops</h1></body></html>'

function saveDraft({ input, visitor }: ForumRequest, { forum: { drafts } }: Site) {
  const user = requireUser(visitor)
  const key = input.text('draft_key') ?? ''
  if (key === '') throw notFound()
  const data = input.required('data')
  if (parseJson(data) === undefined) throw invalidParameters('data')
  const saved = drafts.save(user, key, input.integer('sequence') ?? 0, data)
  if (saved === 'out of sequence') {
    throw conflict(409, 'The draft is open somewhere else.', 'Load it again, and take your changes over.')
  }
  if (saved === 'too many') throw conflict(403, 'You have too many drafts.', 'Delete some of them, and try again.')
  return success({ draft_sequence: saved })
}

const conflict = (status: number, said: string, description: string): Refusal =>
  new Refusal(json({ errors: [said], extras: { description } }, status))

/** Always a success, done or not. With an Api-Key it takes an admin, who says whose draft. */
function deleteDraft({ params, input, visitor }: ForumRequest, { forum }: Site) {
  const user = requireUser(visitor)
  const owner = visitor.by === 'admin-key' ? draftOwner({ input, visitor }, forum) : user
  forum.drafts.delete(owner, params['key']!, input.integer('sequence') ?? 0)
  return success()
}

/** @throws Refusal. */
function draftOwner({ input, visitor }: Pick<ForumRequest, 'input' | 'visitor'>, { users }: Site['forum']) {
  if (visitor.user?.admin !== true) throw notPermitted()
  const username = input.text('username')
  if (username === undefined) throw missingParameter('username')
  const owner = users.find(username)
  if (owner === undefined) throw notFound()
  return owner
}

/** Title and category are those of a topic that is there; a new one's are in the data only. */
function rowJson({ key, username, data, sequence, updatedAt }: Draft, { forum }: Site): object {
  const topic = forum.topics.get(Number(/^topic_(\d+)$/.exec(key)?.[1] ?? 0))
  const user = forum.users.find(username)
  return {
    excerpt: (textAt(recordAt({ data: parseJson(data) }, 'data'), 'reply') ?? '').slice(0, excerptMax),
    created_at: iso(updatedAt),
    draft_key: key,
    sequence,
    draft_username: username,
    avatar_template: avatarOf(username),
    data,
    topic_id: topic?.id ?? null,
    username,
    username_lower: username.toLowerCase(),
    name: user?.name ?? null,
    user_id: user?.id ?? null,
    title: topic?.title ?? null,
    slug: topic?.slug ?? null,
    category_id: topic?.categoryId ?? null,
    closed: topic?.closed ?? null,
    archetype: topic === undefined ? null : 'regular',
    archived: topic?.archived ?? null,
  }
}

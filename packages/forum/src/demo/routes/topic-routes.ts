import { json, redirect } from '../http/answer.js'
import { notFound } from '../http/refusal.js'
import { postsPerAnswer } from '../limits.js'
import { visiblePosts } from '../model/topics.js'
import { postJson } from './post-json.js'
import { windowAround, windowBeside } from './post-windows.js'
import { type ForumRequest, get, type Route, type Site } from './route.js'
import { readableTopic } from './topic-access.js'
import { topicJson } from './topic-json.js'

export const topicRoutes: readonly Route[] = [
  get('/t/external_id/:id.json', ({ params, visitor }, { forum, setting }) => {
    const topic = [...forum.topics.values()].find(({ externalId }) => externalId === params['id'])
    if (topic === undefined) throw notFound()
    const { slug, id } = readableTopic(forum, topic.id, visitor)
    return redirect(`${setting.base()}/t/${slug}/${id}.json`, 301)
  }),
  get('/t/:id/posts.json', topicPosts),
  get('/t/:id.json', topic),
  get('/t/:slug/:id.json', (request, site) =>
    // Without a slug in between, the second number is the post's.
    /^\d+$/.test(request.params['slug']!)
      ? topic({ ...request, params: { id: request.params['slug']!, near: request.params['id']! } }, site)
      : topic(request, site),
  ),
  get('/t/:slug/:id/:near.json', topic),
]

function topic({ params, input, visitor }: ForumRequest, site: Site) {
  if (!/^\d*$/.test(params['near'] ?? '')) throw notFound()
  const topic = readableTopic(site.forum, params['id']!, visitor)
  const near = Number(params['near'] ?? input.integer('post_number') ?? 1)
  const page = input.limited('page', 1, 1_000_000)
  const posts = visiblePosts(topic)
  const start = (page - 1) * postsPerAnswer
  const shown = near > 1 ? windowAround(posts, near) : posts.slice(start, start + postsPerAnswer)
  return json(topicJson(site, topic, shown, visitor.user, input.flag('include_raw')))
}

/** Certain posts; or those beside a number, which without `asc` means before it and backwards. */
function topicPosts({ params, input, visitor }: ForumRequest, { forum }: Site) {
  const topic = readableTopic(forum, params['id']!, visitor)
  const posts = visiblePosts(topic)
  const ids = new Set(input.integers('post_ids').slice(0, postsPerAnswer))
  const number = input.integer('post_number')
  const shown =
    number !== undefined
      ? windowBeside(posts, number, input.flag('asc'))
      : ids.size > 0
        ? posts.filter(({ id }) => ids.has(id))
        : posts.slice(0, postsPerAnswer)
  const rows = shown.map((post) => postJson(forum, post, visitor.user, input.flag('include_raw')))
  return json({ post_stream: { posts: rows }, id: topic.id })
}

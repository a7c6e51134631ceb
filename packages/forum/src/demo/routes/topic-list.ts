import { type Answer, json } from '../http/answer.js'
import { topicsPerPage } from '../limits.js'
import type { Topic, User } from '../model/entities.js'
import type { Site } from './route.js'
import { topicRowJson } from './topic-json.js'

/** One page. Whenever it is full it names a next one, whether or not there is anything on it; how many fit nobody can choose. */
export function topicList(
  site: Site,
  topics: readonly Topic[],
  reader: User | undefined,
  page: number,
  nextUrl: (page: number) => string,
): Answer {
  const rows = topics.slice(page * topicsPerPage, (page + 1) * topicsPerPage)
  return json({
    users: [],
    primary_groups: [],
    topic_list: {
      can_create_topic: reader !== undefined,
      ...(rows.length === topicsPerPage && { more_topics_url: nextUrl(page + 1) }),
      per_page: topicsPerPage,
      top_tags: [],
      topics: rows.map((topic) => topicRowJson(site, topic, reader)),
    },
  })
}

/** What a visitor may see of what is public. */
export const publicTopics = ({ forum }: Site, user: User | undefined): readonly Topic[] =>
  [...forum.topics.values()].filter(
    (topic) => topic.recipients === null && topic.deleted === null && topic.visible && forum.maySee(user, topic),
  )

/** What was last posted in comes first. */
export const byActivity = (topics: readonly Topic[]): readonly Topic[] =>
  topics.toSorted((a, b) => b.bumpedAt - a.bumpedAt || b.id - a.id)

import type { Visitor } from '../auth.js'
import type { ForumModel } from '../forum-model.js'
import { json } from '../http/answer.js'
import { notFound, notPermitted, pageExtras, Refusal } from '../http/refusal.js'
import type { Topic } from '../model/entities.js'

/** @throws Refusal for a topic that is not there for this visitor, with a page for a browser. */
export function readableTopic(forum: ForumModel, id: string | number, { user }: Visitor): Topic {
  const topic = forum.topics.get(Number(id))
  if (topic?.deleted === 'gone') throw gone()
  if (topic === undefined || topic.deleted !== null) throw notFound(pageExtras('Oops! That page doesn’t exist.'))
  if (!forum.maySee(user, topic)) throw notPermitted(pageExtras('Oops! That page is private.'))
  return topic
}

const gone = (): Refusal => {
  const body = {
    errors: ['The topic that you asked for has been deleted.'],
    error_type: 'not_found',
    extras: pageExtras('That topic has been deleted.'),
  }
  return new Refusal(json(body, 410))
}

import { idAt, recordAt, recordsAt, textAt } from '../../json/read-json.js'
import { topicPageRows } from '../../limits.js'
import type { ToolCall } from '../forum-tool.js'
import { unexpectedAnswer } from '../unexpected-answer.js'
import { type TopicRow, topicRowOf } from './topic-row.js'

type Asking = Pick<ToolCall, 'client' | 'scope'>

/**
 * Rows `from` to `end` (excluded) of the topics that a filter finds, as far as there are any. The forum cuts its pages as it
 * likes: those pages are fetched that have these rows in them.
 */
export async function filteredTopics(
  filter: string,
  { from, end }: { readonly from: number; readonly end: number },
  asking: Asking,
): Promise<readonly TopicRow[]> {
  let page = await pageOf(filter, Math.floor(from / topicPageRows), asking)
  const { size } = page
  const number = Math.floor(from / size)
  if (number !== page.number) page = await pageOf(filter, number, asking)
  let rows = page.rows.slice(from - number * size)
  while (rows.length < end - from && page.mayHaveNext) {
    page = await pageOf(filter, page.number + 1, asking)
    rows = [...rows, ...page.rows]
  }
  return rows.slice(0, end - from)
}

interface TopicPage {
  readonly number: number
  /** Rows of every page but the last. */
  readonly size: number
  readonly rows: readonly TopicRow[]
  /** The forum says so of every full page, also of the last one. */
  readonly mayHaveNext: boolean
}

async function pageOf(filter: string, number: number, { client, scope }: Asking): Promise<TopicPage> {
  const query = [
    ['q', filter],
    ['page', number],
  ] as const
  const list = recordAt(await client.get('/filter.json', query, scope), 'topic_list')
  if (!Array.isArray(list['topics'])) throw unexpectedAnswer('a list of topics')
  const rows = recordsAt(list, 'topics')
    .map(topicRowOf)
    .filter((row) => row !== undefined)
  return {
    number,
    size: idAt(list, 'per_page') ?? topicPageRows,
    rows,
    mayHaveNext: rows.length > 0 && Boolean(textAt(list, 'more_topics_url')),
  }
}

import { z } from 'zod'
import type { ForumConfig } from '../config/forum-config.js'
import { ForumFailure } from '../failure/forum-failure.js'
import { forumWords, inOneSentence } from '../http/forum-words.js'
import { isRecord, recordAt, recordsAt } from '../json/read-json.js'
import { readTool } from './forum-tool.js'
import { distinctTopics, topicRow, topicRowOf } from './topics/topic-row.js'
import { unexpectedAnswer } from './unexpected-answer.js'
import { untrustedText } from './untrusted-text.js'
import { withHint } from './with-hint.js'

export const searchTool = ({ config }: { readonly config: Pick<ForumConfig, 'defaultSearch'> }) =>
  readTool({
    name: 'discourse_search',
    title: 'Search the forum',
    description:
      'Finds topics by what is written in them, the best match first. There is no next page: with meta.has_more, narrow ' +
      'the query (category:, tag:, @user, after:2026-01-31, order:latest), or list all with discourse_filter_topics. ' +
      `${untrustedText}`,
    input: z.strictObject({
      query: z
        .string()
        .min(1)
        .describe('Words, and filters as in the search of Discourse; usually 3 characters or more'),
      max_results: z.int().min(1).max(50).default(10).describe('How many topics at most'),
    }),
    output: z.strictObject({
      results: z.array(topicRow),
      meta: z.strictObject({ total: z.int(), has_more: z.boolean() }),
    }),
    async read({ query, max_results }, { client, scope }) {
      const q = config.defaultSearch ? `${config.defaultSearch} ${query}` : query
      const answer = await withHint('rejected', tooShort, client.get('/search.json', [['q', q]], scope))
      const found = topicsIn(answer)
      const results = found.slice(0, max_results)
      // Its value, where there are more, need not be `true`.
      const hasMorePages = Boolean(recordAt(answer, 'grouped_search_result')['more_full_page_results'])
      return { results, meta: { total: results.length, has_more: found.length > max_results || hasMorePages } }
    },
  })

const tooShort = 'A query that is too short is refused: most forums want 3 characters or more.'

/** Without a hit there is no `topics`, only what was searched for. */
function topicsIn(answer: unknown) {
  const grouped = recordAt(answer, 'grouped_search_result')
  const error = grouped['error']
  if (error) throw searchFailed(error)
  if (!isRecord(answer) || !(Array.isArray(answer['topics']) || isRecord(answer['grouped_search_result']))) {
    throw unexpectedAnswer('a search result')
  }
  return distinctTopics(
    recordsAt(answer, 'topics')
      .map(topicRowOf)
      .filter((row) => row !== undefined),
  )
}

/** Answered with 200, but nobody has searched: too many searches, or too much to do. */
function searchFailed(error: unknown): ForumFailure {
  const words = inOneSentence(forumWords([error])) || 'no reason was given'
  return new ForumFailure('upstream_error', `The forum did not search: ${words}. Try again later.`, {
    status: 200,
    errors: [words],
  })
}

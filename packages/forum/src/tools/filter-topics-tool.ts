import { z } from 'zod'
import { page } from './common-input.js'
import { readTool } from './forum-tool.js'
import { filteredTopics } from './topics/filtered-topics.js'
import { distinctTopics, topicRow } from './topics/topic-row.js'
import { untrustedText } from './untrusted-text.js'

export const filterTopicsTool = () =>
  readTool({
    name: 'discourse_filter_topics',
    title: 'List topics by a filter',
    description:
      'Lists all topics that a filter finds, page by page: category:, tag:, status:open|closed|archived, created-by:@user, ' +
      'created-after: and activity-after: (days or a date), order:activity|created|likes|views; category:a,b is either, ' +
      `tag:a+b both. While meta.has_more, go on with the next page and the same per_page. ${untrustedText}`,
    input: z.strictObject({
      filter: z.string().min(1).describe('E.g. category:support status:open created-after:30 order:activity'),
      page,
      per_page: z.int().min(1).max(50).default(20).describe('Topics on a page'),
    }),
    output: z.strictObject({
      results: z.array(topicRow),
      meta: z.strictObject({ page: z.int(), limit: z.int(), has_more: z.boolean() }),
    }),
    async read({ filter, page, per_page }, call) {
      const from = page * per_page
      // One more than is shown: it tells whether there is a next page.
      const rows = await filteredTopics(filter, { from, end: from + per_page + 1 }, call)
      return {
        results: distinctTopics(rows.slice(0, per_page)),
        meta: { page, limit: per_page, has_more: rows.length > per_page },
      }
    },
  })

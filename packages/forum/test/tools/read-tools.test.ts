import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { filterTopicsTool } from '../../src/tools/filter-topics-tool.js'
import { getChatMessagesTool } from '../../src/tools/get-chat-messages-tool.js'
import { getDraftTool } from '../../src/tools/get-draft-tool.js'
import { getUserTool } from '../../src/tools/get-user-tool.js'
import { listUserPostsTool } from '../../src/tools/list-user-posts-tool.js'
import { readPostTool } from '../../src/tools/read-post-tool.js'
import { readTopicTool } from '../../src/tools/read-topic-tool.js'
import { searchTool } from '../../src/tools/search-tool.js'
import { untrustedText } from '../../src/tools/untrusted-text.js'

const parts = { config: { maxReadLength: 50_000, defaultSearch: undefined } }

const tools = [
  searchTool(parts),
  filterTopicsTool(),
  readTopicTool(parts),
  readPostTool(parts),
  getUserTool(),
  listUserPostsTool(),
  getChatMessagesTool(parts),
  getDraftTool(),
]

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (_, tool) => {
  it('warns of what strangers have written', () => {
    expect(tool.description).toContain(untrustedText)
  })

  it('says what each argument is', () => {
    const { properties } = z.toJSONSchema(tool.input, { io: 'input' })
    for (const [name, schema] of Object.entries(properties!)) {
      expect(schema, name).toMatchObject({ description: expect.stringMatching(/\w+ \w+/) })
    }
  })

  it('takes nothing else', () => {
    expect(z.toJSONSchema(tool.input, { io: 'input' })).toMatchObject({ type: 'object', additionalProperties: false })
  })
})

it('need what they cannot do without', () => {
  const required = tools.map(({ name, input }) => [name, z.toJSONSchema(input, { io: 'input' }).required])
  expect(Object.fromEntries(required)).toEqual({
    discourse_search: ['query'],
    discourse_filter_topics: ['filter'],
    discourse_read_topic: ['topic_id'],
    discourse_read_post: ['post_id'],
    discourse_get_user: ['username'],
    discourse_list_user_posts: ['username'],
    discourse_get_chat_messages: ['channel_id'],
    discourse_get_draft: ['draft_key'],
  })
})

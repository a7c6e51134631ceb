import { type Business, businessSchema } from './section-schema.js'

/** For the time in which nobody has said who they are. */
export const defaultProfile: Business = businessSchema.parse({
  product_name: 'Callboard',
  product_description: 'one MCP endpoint in front of many worker processes',
  target_audience: 'people who run agents',
  product_keywords: ['mcp', 'ai agents', 'agent tools'],
  industry_topics: ['open networks', 'agent workflows', 'human approval', 'self-hosting'],
  content_pillars: ['building in the open', 'tools that agents can trust'],
})

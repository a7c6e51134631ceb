import type { Store } from '@callboard/store'
import { defineWorker } from '@callboard/worker'
import { connectForTest, type TestCallOptions } from '@callboard/worker/testing'
import type { Envelope } from '../../src/envelope/envelope.js'
import { envelopeOf } from '../../src/envelope/envelope.js'
import type { Foundation } from '../../src/foundation.js'
import type { SocialSchema } from '../../src/records/schema.js'
import { registerTools } from '../../src/tools/register-tools.js'
import type { SocialTool } from '../../src/tools/social-tool.js'

export const ada: TestCallOptions = { principal: 'agent:ada' }
export const bob: TestCallOptions = { principal: 'agent:bob' }
export const operator: TestCallOptions = { principal: 'operator:root', roles: ['agent', 'operator'] }

// biome-ignore lint/suspicious/noExplicitAny: each test knows what its tool answers; the schema has been checked.
export type Answer = Envelope & { readonly data: any }

export type CallTool = (name: string, args?: object, who?: TestCallOptions) => Promise<Answer>

/** The tools behind a hub, as agents call them. Every reply is checked against its schema. */
export async function serveForTest(
  tools: readonly SocialTool[],
  foundation: Foundation & { readonly store: Store<SocialSchema> },
): Promise<{ readonly call: CallTool; readonly link: Awaited<ReturnType<typeof connectForTest>> }> {
  const worker = defineWorker({ service: 'social', version: '1.2.3' })
  registerTools(worker, tools, foundation)
  const link = await connectForTest(worker)
  const schemas = new Map(tools.map((tool) => [tool.name, envelopeOf(tool.data)]))
  return {
    link,
    call: async (name, args = {}, who = ada) => {
      const { structuredContent, isError = false, content } = await link.callTool(name, args as never, who)
      const envelope = schemas.get(name)!.parse(structuredContent) as Answer
      if (isError === envelope.success) throw new Error(`${name}: isError does not fit ${JSON.stringify(envelope)}`)
      if (content.length !== 1) throw new Error(`${name}: not one text block`)
      return envelope
    },
  }
}

import { z } from 'zod'
import { ForumFailure } from '../failure/forum-failure.js'
import { pathPart } from '../http/request-url.js'
import { isRecord, recordAt, recordsAt, textAt } from '../json/read-json.js'
import { artifactsMax } from '../limits.js'
import { type ForumTool, writeTool } from '../tools/forum-tool.js'
import type { RemoteTool } from './remote-tool.js'

export const remoteOutput = z.strictObject({
  result: z.unknown().describe('Whatever the forum answered, as JSON'),
  artifacts: z.array(z.strictObject({ url: z.string(), name: z.string().nullable() })),
})

/** A call of it is sent like a write: nobody but the forum knows what it does. */
export function remoteWrite(tool: RemoteTool): Extract<ForumTool, { readonly kind: 'write' }> {
  const made = writeTool({
    name: tool.localName,
    title: tool.title,
    description: tool.description,
    input: z.looseObject({}),
    output: remoteOutput,
    marks: { destructiveHint: true, idempotentHint: false },
    // It may read what changes from one moment to the next.
    equalCallsAreDifferent: true,
    prepare: async (input) => {
      const issues = checked(tool, input)
      if (issues.length === 0) return
      const sentences = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
      throw new ForumFailure('invalid_arguments', `${sentences.join('; ')}.`, { issues })
    },
    request: (input) => ({
      method: 'POST',
      path: `/ai/tools/${pathPart(tool.name)}/call`,
      json: { arguments: input, context: {} },
    }),
    effect: (answer) => ({ output: { result: resultIn(answer), artifacts: artifactsIn(answer) } }),
  })
  return made as Extract<ForumTool, { readonly kind: 'write' }>
}

function checked(tool: RemoteTool, input: unknown) {
  try {
    return tool.check(input)
  } catch (error) {
    throw new ForumFailure(
      'unexpected_response',
      `The schema that the forum gives for ${tool.name} can't be used, so nothing was sent.`,
      {},
      error,
    )
  }
}

function resultIn(answer: unknown): unknown {
  return isRecord(answer) && Object.hasOwn(answer, 'result') ? answer['result'] : answer
}

function artifactsIn(answer: unknown) {
  return recordsAt(recordAt(answer, 'details'), 'artifacts')
    .slice(0, artifactsMax)
    .flatMap((artifact) => {
      const url = textAt(artifact, 'url')
      return url === undefined ? [] : [{ url, name: textAt(artifact, 'name') ?? null }]
    })
}

import { systemClock } from '@callboard/worker/clock'
import type { z } from 'zod'
import type { ForumTool, ToolCall } from '../../src/tools/forum-tool.js'
import { Writer } from '../../src/writes/run-write.js'
import { openTestStore, silentLog, temporaryLocation } from './test-store.js'

/**
 * What a write tool answers, with all that is done around a write, by a worker that has written nothing before. Arguments and the
 * answer are checked by the tool's own schemas, as far as they are the tool's.
 */
// biome-ignore lint/suspicious/noExplicitAny: each test knows what its tool answers; the schema has been checked.
export async function writeWith(tool: ForumTool, args: object, call: ToolCall): Promise<any> {
  if (tool.kind !== 'write') throw new Error(`${tool.name} is no write tool`)
  await using location = await temporaryLocation()
  await using store = await openTestStore(location)
  const writer = new Writer({ store, clock: systemClock, log: silentLog })
  const input = tool.input.strict().parse(args) as z.output<z.ZodObject>
  const answer = await writer.run(tool, input, call)
  tool.output.strip().parse(answer)
  return answer
}

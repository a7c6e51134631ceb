import { type Context, sessionTool, type Worker } from '@callboard/worker'
import { ForumFailure } from '../failure/forum-failure.js'
import type { JsonRecord } from '../json/read-json.js'
import type { RemoteTool } from '../remote/remote-tool.js'
import { remoteWrite } from '../remote/remote-write.js'
import { marksOf } from '../tools/marks.js'
import { callOf, guarded, type ServingParts, specOf } from '../tools/serve-tool.js'
import { outputOfWrite } from '../writes/run-write.js'
import type { Selection } from './selection.js'

/** Tells the hub which tools a session sees from now on. `writeTools`: names of all that write. */
export function showSelection(
  worker: Worker,
  writeTools: readonly string[],
  parts: ServingParts,
): (session: string, selection: Selection | undefined) => void {
  return (session, selection) => {
    if (selection === undefined) return worker.setView(session, {})
    const writes = selection.whyNoWrites === undefined ? writeTools : []
    worker.setView(session, {
      show: { tools: writes },
      tools: remoteToolsOf(selection, parts).map(({ name, spec, handler }) => sessionTool(name, spec, handler)),
    })
  }
}

/** The forum's own tools, those that are listed. */
export function remoteToolsOf(selection: Selection, parts: ServingParts) {
  if (whyNotRemote(selection, parts) !== undefined) return []
  return selection.remoteTools.map((tool) => servedRemoteTool(tool, parts))
}

function servedRemoteTool(tool: RemoteTool, parts: ServingParts) {
  const { localName, inputSchema } = tool
  const write = remoteWrite(tool)
  const spec = specOf({ ...write, output: outputOfWrite(write.output), marks: marksOf(write) })
  const handler = (given: JsonRecord, context: Context) =>
    guarded(localName, context, parts, async () => {
      const call = await callOf(context, parts)
      // The session may have selected another forum since.
      const current = call.selection.remoteTools.find((each) => each.localName === localName)
      if (current === undefined) throw unavailable(`${call.selection.base} has no tool ${localName}.`)
      const refusal = whyNotRemote(call.selection, parts)
      if (refusal !== undefined) throw unavailable(refusal)
      return parts.writer.run(remoteWrite(current), given, call)
    })
  return { name: localName, spec: { ...spec, inputSchema }, handler }
}

function whyNotRemote({ whyNoWrites }: Selection, { config }: ServingParts): string | undefined {
  return config.remoteToolsNeedWrites ? whyNoWrites : undefined
}

const unavailable = (why: string) => new ForumFailure('tool_unavailable', why, { outcome: 'rejected' })

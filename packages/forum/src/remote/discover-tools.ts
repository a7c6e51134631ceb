import type { ForumConfig } from '../config/forum-config.js'
import { ForumFailure } from '../failure/forum-failure.js'
import type { Foundation } from '../foundation.js'
import type { Scope, SiteClient } from '../http/site-client.js'
import { cutText } from '../json/cut-text.js'
import { isRecord, type JsonRecord, listAt, recordAt, textAt } from '../json/read-json.js'
import {
  remoteBytesMax,
  remoteDescriptionLengthMax,
  remoteNameLengthMax,
  remoteToolsMax,
  remoteToolsOfferedMax,
} from '../limits.js'
import { argumentCheck } from './argument-check.js'
import { localNames } from './local-names.js'
import type { RemoteTool } from './remote-tool.js'
import { schemaProblem } from './schema-problem.js'

interface Discovery extends Pick<Foundation, 'log' | 'redactor'> {
  readonly mode: ForumConfig['toolsMode']
}

/** The tools that a forum itself offers; most offer none. A forum that fails at this is a forum without tools. */
export async function discoverTools(
  client: SiteClient,
  scope: Scope,
  { mode, log, redactor }: Discovery,
): Promise<readonly RemoteTool[]> {
  if (mode === 'discourse_api_only') return []
  try {
    return usable(await client.get('/ai/tools', [], scope), client.base, { log, redactor })
  } catch (error) {
    if (!(error instanceof ForumFailure)) throw error
    const details = { site: client.base, code: error.code, status: error.details.status }
    if (mode === 'tool_exec_api') log.error(details, `the forum's own tools can't be had: ${error.message}`)
    else if (error.code === 'not_found') log.debug(details, 'the forum has no tools of its own')
    else log.info(details, `the forum's own tools can't be had: ${error.message}`)
    return []
  }
}

function usable(answer: unknown, site: string, { log, redactor }: Omit<Discovery, 'mode'>): readonly RemoteTool[] {
  const offered = (Array.isArray(answer) ? answer : listAt(answer, 'tools')).filter(isRecord)
  const found = offered.slice(0, remoteToolsOfferedMax).flatMap((tool) => {
    const name = textAt(tool, 'name') ?? ''
    const inputSchema = schemaOf(tool)
    const problem = problemOf(name, inputSchema)
    if (problem === undefined) return [{ name, inputSchema, description: descriptionOf(tool, site) }]
    log.debug({ site, tool: name.slice(0, remoteNameLengthMax), problem }, "one of the forum's own tools is left out")
    return []
  })
  const taken = withinBytes(found.slice(0, remoteToolsMax))
  if (taken.length < offered.length)
    log.info({ site, offered: offered.length, taken: taken.length }, "some of the forum's own tools are left out")
  // A forum may say what it was told; its tools go to the hub without any call.
  const names = localNames(taken.map(({ name }) => redactor.text(name)))
  return taken.map(({ name, inputSchema, description }, index) => ({
    name,
    title: redactor.text(name),
    localName: names[index]!,
    description: redactor.text(description),
    inputSchema: redactor.value(inputSchema),
    check: argumentCheck(inputSchema),
  }))
}

function descriptionOf(tool: JsonRecord, site: string): string {
  const words = cutText(textAt(tool, 'description') ?? '', remoteDescriptionLengthMax).text
  return `A tool of the forum ${site} itself, in the forum's words: ${words}`
}

/** The first of them, as far as there is room for them in what a session is shown. */
function withinBytes<Tool>(tools: readonly Tool[]): readonly Tool[] {
  let bytes = 0
  return tools.filter((tool) => {
    bytes += Buffer.byteLength(JSON.stringify(tool))
    return bytes <= remoteBytesMax
  })
}

/** As it was given; the protocol wants to be told that it is an object's. */
function schemaOf(tool: JsonRecord): RemoteTool['inputSchema'] {
  const given = recordAt(tool, 'inputSchema')
  const type = given['type'] ?? 'object'
  return { ...given, type: type as 'object' }
}

function problemOf(name: string, inputSchema: { readonly type: unknown }): string | undefined {
  if (name === '' || name.length > remoteNameLengthMax)
    return `its name must have 1 to ${remoteNameLengthMax} characters`
  if (inputSchema.type !== 'object') return 'its schema is not that of an object'
  return schemaProblem(inputSchema)
}

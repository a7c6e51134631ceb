import { didYouMean } from '@callboard/protocol/nearest-name'
import { LateWorkers } from '../call/late-workers.js'
import { McpClient, McpError } from '../call/mcp-client.js'
import { showResult, type ToolResult } from '../call/show-result.js'
import { parseArguments, type Tool } from '../call/tool-arguments.js'
import { type Environment, readEnvironment } from '../environment.js'
import { escapeControls } from '../escape-controls.js'
import { attach, HubRefusal } from '../hub-link/hub-socket.js'
import { runtimeFiles } from '../hub-link/runtime-files.js'
import { connectOrStart } from '../hub-link/start-on-demand.js'
import { complain, exit, printJson } from '../output.js'
import { UsageError } from '../usage-error.js'

export interface CallOptions {
  readonly as?: string
  readonly json?: boolean
  readonly progress?: boolean
  /** Seconds. */
  readonly timeout?: number
}

/** The same each time: calls that follow one another are one session, so that Python keeps its variables between them. */
const sessionKey = 'callboard call'

export async function runCall(name: string, words: readonly string[], options: CallOptions): Promise<never> {
  const environment = readEnvironment()
  const client = await connectClient(environment, options)
  // Ctrl-C is for the call, not only for us.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => client.cancelAll('Cancelled.'))
  const { timeout } = options
  const timer = timeout && setTimeout(() => client.cancelAll(`No answer within ${timeout} s.`), timeout * 1000)
  const late = new LateWorkers(runtimeFiles(environment.runtimeDirectory).mcpSocket, name)
  let tools: readonly Tool[] = []
  const result = await late.retry(
    async () => {
      tools = await late.watch(listTools(client))
      return callTool(client, name, words, tools, options)
    },
    () => client.requireOpen(),
  )
  clearTimeout(timer)
  if (result === undefined) throw noSuchTool(name, tools, await late.missing())
  if (options.json) printJson(result)
  else showResult(name, result)
  client.close()
  return exit(result.isError === true ? 1 : 0)
}

/** Undefined: there is no such tool. */
async function callTool(
  client: McpClient,
  name: string,
  words: readonly string[],
  tools: readonly Tool[],
  { progress = false }: CallOptions,
): Promise<ToolResult | undefined> {
  const listed = tools.find((tool) => tool.name === name)
  const params = {
    name,
    // What this session does not list, its worker may know, and tell why.
    arguments: parseArguments(listed ?? { name, inputSchema: {} }, words),
    ...(progress && { _meta: { progressToken: 1 } }),
  }
  try {
    return (await client.request('tools/call', params)) as ToolResult
  } catch (error) {
    if (listed === undefined && isUnknownTool(error)) return undefined
    throw error
  }
}

async function connectClient(environment: Environment, { as, progress }: CallOptions): Promise<McpClient> {
  const { token } = environment
  const socket = await connectOrStart(environment)
  try {
    await attach(socket, { key: sessionKey, ...(as !== undefined && { as }), ...(token !== undefined && { token }) })
  } catch (error) {
    if (error instanceof HubRefusal) throw new UsageError(error.message)
    throw error
  }
  const client = new McpClient(socket, (method, params) => {
    if (progress && method === 'notifications/progress') complain(describeProgress(params))
  })
  await client.initialize()
  return client
}

async function listTools(client: McpClient): Promise<readonly Tool[]> {
  const tools: Tool[] = []
  let cursor: unknown
  do {
    const page = await client.request('tools/list', cursor === undefined ? {} : { cursor })
    tools.push(...(page['tools'] as Tool[]))
    cursor = page['nextCursor']
  } while (cursor !== undefined)
  return tools
}

/** As the hub answers for what nobody offers. */
function isUnknownTool(error: unknown): boolean {
  const data = error instanceof McpError ? (error.data as { readonly error_code?: unknown } | undefined) : undefined
  return data?.error_code === 'TOOL_NOT_FOUND'
}

function noSuchTool(name: string, tools: readonly Tool[], missing: readonly string[]): UsageError {
  const suggestion = suggestTool(
    name,
    tools.map((each) => each.name),
  )
  const starting = missing.length === 0 ? '' : ` as long as ${missing.join(', ')} has not started`
  return new UsageError(
    escapeControls(`There is no tool ${name}${suggestion}${starting}: "callboard ls" lists them all.`),
  )
}

/** The worker's own name of a tool that is listed with the service before it is no typing mistake. */
function suggestTool(name: string, names: readonly string[]): string {
  const whole = names.filter((each) => each.endsWith(`_${name}`))
  return whole.length === 0 ? didYouMean(name, names) : ` (did you mean ${whole.slice(0, 3).join(' or ')}?)`
}

function describeProgress({ progress, total, message }: Readonly<Record<string, unknown>>): string {
  const share = total === undefined ? `${progress}` : `${progress}/${total}`
  return message === undefined ? share : `${share} ${message}`
}

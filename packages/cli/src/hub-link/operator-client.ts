import { McpClient } from '../call/mcp-client.js'
import type { ToolResult } from '../call/show-result.js'
import type { Environment } from '../environment.js'
import { CommandError } from '../usage-error.js'
import { attach, connectHub, HubRefusal, isNobodyThere } from './hub-socket.js'
import { type HubStatus, noHubRunning, readHubStatus } from './hub-status.js'
import { operatorToken, otherSecret } from './operate.js'
import { requireOwnDirectory, runtimeFiles } from './runtime-files.js'

/** There is nobody who could be asked; the message says what helps. */
export class NobodyOfService extends CommandError {
  /** Whether the hub has ever seen it. */
  readonly isKnown: boolean

  constructor(isKnown: boolean, message: string) {
    super(message)
    this.isKnown = isKnown
  }
}

/**
 * Asks one tool of a service, as an operator, at the hub that runs; none is started for it. Returns its structured content.
 * @throws CommandError when there is no hub, or an answer that is an error; else as `callService`.
 */
export async function askService(
  environment: Environment,
  service: string,
  tool: string,
  args: object,
): Promise<object> {
  return contentOf(tool, await callService(environment, service, tool, args))
}

/**
 * The same, but gives an answer that is an error as well.
 * @throws CommandError when there is no hub; NobodyOfService; UsageError for a wrong secret.
 */
export async function callService(
  environment: Environment,
  service: string,
  tool: string,
  args: object,
): Promise<ToolResult> {
  const { runtimeDirectory } = environment
  requireOwnDirectory(runtimeDirectory)
  const { mcpSocket } = runtimeFiles(runtimeDirectory)
  const status = await readHubStatus(mcpSocket)
  if (status === undefined) throw noHubRunning(runtimeDirectory)
  const name = toolOf(status, service, tool)
  const client = await connectOperator(environment, mcpSocket)
  try {
    return (await client.request('tools/call', { name, arguments: args })) as ToolResult
  } finally {
    client.close()
  }
}

/** The name under which the hub offers it: its own, or one with the service before it. */
function toolOf({ snapshot }: HubStatus, service: string, tool: string): string {
  const found = snapshot.services.find((each) => each.service === service)
  if (found === undefined || !found.isServed) {
    throw new NobodyOfService(
      found !== undefined,
      `The worker ${service} is not signed in at the hub: start it with "callboard up" or "callboard worker ${service}".`,
    )
  }
  const { tools, renamed = {} } = found
  const own = tools.find((key) => Object.hasOwn(renamed, key) && renamed[key] === tool)
  const name = own ?? tools.find((key) => key === tool || key === `${service}_${tool}`)
  if (name !== undefined) return name
  throw new NobodyOfService(
    true,
    `The worker ${service} at this hub has no tool ${tool}: let it be of the version of this program.`,
  )
}

async function connectOperator(environment: Environment, path: string): Promise<McpClient> {
  const token = await operatorToken(environment)
  const socket = await connectHub(path).catch((error: unknown) => {
    throw isNobodyThere(error) ? noHubRunning(environment.runtimeDirectory) : error
  })
  try {
    await attach(socket, { key: `callboard operator ${process.pid}`, as: 'operator', token })
  } catch (error) {
    socket.destroy()
    throw error instanceof HubRefusal && error.code === 'forbidden' ? otherSecret(environment) : error
  }
  const client = new McpClient(socket)
  await client.initialize()
  return client
}

function contentOf(tool: string, { isError, content = [], structuredContent }: ToolResult): object {
  if (isError !== true && typeof structuredContent === 'object' && structuredContent !== null) return structuredContent
  const text = content.find(({ type }) => type === 'text')?.['text']
  throw new CommandError(`${tool} failed: ${typeof text === 'string' ? messageIn(text) : 'it gave no reason'}`)
}

/** An error is JSON with a message for people. */
function messageIn(text: string): string {
  try {
    const { message = text } = JSON.parse(text) as { readonly message?: unknown }
    return String(message)
  } catch {
    return text
  }
}

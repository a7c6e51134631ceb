import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readEnvironment } from '../environment.js'
import { connectHub } from '../hub-link/hub-socket.js'
import { requireOwnDirectory, runtimeFiles } from '../hub-link/runtime-files.js'
import { complain, exit, protocolStreams } from '../output.js'
import { StdioShim } from '../shim/stdio-shim.js'

export interface StdioOptions {
  readonly as?: string
  readonly tools?: string
  readonly search?: boolean
}

export async function runStdio({ as, tools, search }: StdioOptions): Promise<never> {
  const environment = readEnvironment()
  const { token, runtimeDirectory } = environment
  requireOwnDirectory(runtimeDirectory)
  const files = runtimeFiles(runtimeDirectory)
  const key = randomBytes(24).toString('base64url')
  const shim = new StdioShim({
    ...protocolStreams(),
    introduction: {
      key,
      ...(as !== undefined && { as }),
      ...(token !== undefined && { token }),
      ...(tools !== undefined && { tools }),
      ...(search && { mode: 'search' }),
    },
    connect: () => connectHub(files.mcpSocket),
    start: async () => (await import('../hub-link/start-on-demand.js')).startOnDemand(environment),
    mayRestart: () => existsSync(files.startedOnDemand),
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => shim.finish({ code: 0 }))
  shim.start()
  const { code, message } = await shim.ended
  if (message !== undefined) complain(`callboard: ${message}`)
  return exit(code)
}

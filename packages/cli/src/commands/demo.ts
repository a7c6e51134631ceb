import { didYouMean } from '@callboard/protocol/nearest-name'
import { demoForumText, describeDemoForum, startDemoForum } from '../demo/demo-forum.js'
import { demoProjectText, makeDemoProject } from '../demo/demo-project.js'
import { portOwner } from '../doctor/port-owner.js'
import { type Environment, readEnvironment } from '../environment.js'
import { exit, print, printJson } from '../output.js'
import { UsageError } from '../usage-error.js'

export interface DemoOptions {
  readonly port?: number
  /** Where a project is made; default: in the current folder. */
  readonly path?: string
  readonly json?: boolean
}

const names = ['forum', 'qda']
const portDefault = 4200

/** @throws UsageError for a name that is none, an option of the other one, or a port or path that can't be had. */
export async function runDemo(name: string, options: DemoOptions): Promise<never> {
  if (name === 'forum') return runDemoForum(options)
  if (name === 'qda') return runDemoProject(options)
  throw new UsageError(`There is no demo ${name}${didYouMean(name, names)}; there are: ${names.join(', ')}.`)
}

async function runDemoProject({ port, path, json = false }: DemoOptions): Promise<never> {
  if (port !== undefined)
    throw new UsageError('--port is for the demo forum; a project is a folder: --path says where.')
  const project = await makeDemoProject(path)
  if (json) printJson(project)
  else print(demoProjectText(project, addressOf(readEnvironment())))
  return exit(0)
}

const addressOf = ({ variables: { CALLBOARD_HTTP: listen } }: Environment): string =>
  listen === undefined || listen === '' || listen === 'off' ? 'localhost:8765' : listen

/** Runs until somebody ends it. */
async function runDemoForum({ port = portDefault, path, json = false }: DemoOptions): Promise<never> {
  if (path !== undefined) throw new UsageError('--path is for the demo project; the demo forum forgets everything.')
  const ended = askedToEnd()
  const server = await startDemoForum(port).catch((error: NodeJS.ErrnoException) => {
    throw explained(error, port)
  })
  const demo = describeDemoForum(server)
  if (json) printJson(demo)
  else print(demoForumText(demo))
  await ended
  await server.close()
  return exit(0)
}

function explained(error: NodeJS.ErrnoException, port: number): Error {
  const remedy = 'choose another one with --port, or any free one with --port 0.'
  if (error.code === 'EADDRINUSE') {
    const owner = portOwner(port)
    const by = owner === undefined ? '' : ` by ${owner}`
    return new UsageError(`Port ${port} is in use${by}: ${remedy}`, { cause: error })
  }
  if (error.code === 'EACCES') return new UsageError(`Port ${port} is not for this user: ${remedy}`, { cause: error })
  return error
}

/** Resolves at the first signal to end. */
function askedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
}

import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readEnvironment } from '../environment.js'
import { exit, print } from '../output.js'
import { UsageError } from '../usage-error.js'

export interface McpJsonOptions {
  /** Otherwise what would be written is printed. */
  readonly write?: boolean
}

const fileName = '.mcp.json'

/** Puts where QualCoder's tools are found over HTTP into a folder's `.mcp.json`, beside what is there. */
export async function runMcpJson(folder: string, { write }: McpJsonOptions): Promise<never> {
  const path = join(resolve(folder), fileName)
  const listen = readEnvironment().variables['CALLBOARD_HTTP'] || 'localhost:8765'
  if (listen === 'off') throw new UsageError('CALLBOARD_HTTP is off: without HTTP nobody finds the tools there.')
  const text = `${JSON.stringify(merged(path, `http://${listen}/mcp`), null, 2)}\n`
  if (!write) print(text.trimEnd())
  else {
    replace(path, text)
    print(`${path} says where the tools are. A client reads it when it starts in that folder.`)
  }
  return exit(0)
}

function merged(path: string, url: string): object {
  const present = parsed(path)
  const { mcpServers = {} } = present as { readonly mcpServers?: unknown }
  if (!isRecord(mcpServers)) throw new UsageError(`${path}: mcpServers must be an object; mend it, then try again.`)
  return { ...present, mcpServers: { ...mcpServers, qualcoder: { type: 'http', url } } }
}

function parsed(path: string): object {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new UsageError(`${path} can't be read: ${(error as Error).message}.`, { cause: error })
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // The sentence below says it: a parser's would quote the file, and with it what is secret there.
  }
  throw new UsageError(`${path} is no JSON object, so that nothing was written; mend it, then try again.`)
}

/** Whole or not at all: other programs read it at any time. */
function replace(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}`
  try {
    writeFileSync(draft, text)
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new UsageError(`${path} can't be written: ${(error as Error).message}.`, { cause: error })
  }
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

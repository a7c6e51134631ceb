import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { command, type HubProcess } from '../hub-process.js'

/** Tokens of as many agents, each a principal of its own. One after the other: all are written to one file. */
export async function agentTokens(hub: HubProcess, name: string, count: number): Promise<string[]> {
  const tokens: string[] = []
  for (let index = 0; index < count; index += 1) {
    const words = [command, 'token', 'new', `${name}-${index}`]
    const { stdout } = await promisify(execFile)(process.execPath, words, { env: hub.environment })
    tokens.push(stdout.trim())
  }
  return tokens
}

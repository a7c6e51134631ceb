import { onTestFinished } from 'vitest'
import { connectAgent, httpTransport, type TestAgent } from '../../../../hub/test/mcp/agents.js'
import { stdioTransport } from '../../interop/ways.js'
import type { ForumInstallation } from './forum-installation.js'

export const eras = ['legacy', 'modern'] as const
export type Era = (typeof eras)[number]

const listChanged = 'notifications/tools/list_changed'

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is read freely here
type Loose = any

/** An agent of its own: up to 2025-11-25 by `callboard stdio`, later by HTTP; ends with the test. */
export async function forumAgent(installation: ForumInstallation, era: Era, name: string): Promise<ForumAgent> {
  const token = await installation.tokenOf(name)
  const agent = await (era === 'legacy' ? byStdio(installation, token) : byHttp(installation, token))
  onTestFinished(() => agent.close())
  const told = new ForumAgent(agent)
  await agent.listen()
  return told
}

function byStdio({ environment }: ForumInstallation, token: string): Promise<TestAgent> {
  const own = { ...environment, CALLBOARD_TOKEN: token }
  return connectAgent('sdk 1', stdioTransport('sdk 1', ['stdio'], { environment: own }))
}

async function byHttp(installation: ForumInstallation, token: string): Promise<TestAgent> {
  const url = await installation.httpUrl()
  return connectAgent('sdk 2 modern', httpTransport('sdk 2 modern', url, { authorization: `Bearer ${token}` }))
}

export class ForumAgent {
  /** How often it was told that there are other tools now. */
  told = 0
  readonly mcp: TestAgent
  #wake = () => {}

  constructor(agent: TestAgent) {
    this.mcp = agent
    const others = agent.client.fallbackNotificationHandler
    agent.client.fallbackNotificationHandler = (notification: Loose) => {
      if (notification.method === listChanged) {
        this.told += 1
        this.#wake()
      }
      return others(notification)
    }
  }

  /** Resolves when it was told as often, in total. */
  async untilTold(count: number): Promise<void> {
    while (this.told < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  async tools(): Promise<readonly string[]> {
    const names: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await this.mcp.request('tools/list', cursor === undefined ? {} : { cursor })
      names.push(...page.tools.map(({ name }: Loose) => name))
      cursor = page.nextCursor
      if (cursor === undefined) return names
    }
  }

  /** What a call answers that succeeds. */
  async ask(name: string, args: object = {}, meta?: object): Promise<Loose> {
    const { isError, structuredContent, content } = await this.call(name, args, meta)
    if (isError === true) throw new Error(`${name}: ${content[0].text}`)
    return structuredContent
  }

  /** The error object of a call that fails. */
  async refusal(name: string, args: object = {}, meta?: object): Promise<Loose> {
    const { isError, structuredContent, content, _meta } = await this.call(name, args, meta)
    if (isError !== true || structuredContent !== undefined) throw new Error(`${name} did not fail as it should`)
    const error = JSON.parse(content[0].text)
    if (_meta['callboard/error'].code !== error.code) throw new Error(`${name}: ${JSON.stringify(_meta)}`)
    return error
  }

  call(name: string, args: object = {}, meta?: object): Promise<Loose> {
    return this.mcp.request('tools/call', { name, arguments: args, ...(meta !== undefined && { _meta: meta }) })
  }

  select(site: string): Promise<Loose> {
    return this.ask('discourse_select_site', { site })
  }

  async read(uri: string): Promise<Loose> {
    const { contents } = await this.mcp.request('resources/read', { uri })
    return JSON.parse(contents[0].text)
  }

  /** The error of the protocol that a resource answers. */
  async readError(uri: string): Promise<{ readonly code: number; readonly message: string; readonly data: Loose }> {
    const answer = await this.read(uri).catch((error: Loose) => error)
    if (!(answer instanceof Error)) throw new Error(`${uri} was read`)
    return answer as Loose
  }
}

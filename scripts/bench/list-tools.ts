import type { CallLines } from './call-lines.js'

/** All pages of it, one after the other, without reading more of them than where the next one begins. @throws when tools are missing */
export async function listTools(agent: CallLines, count: number): Promise<void> {
  let found = 0
  let cursor: string | undefined
  do {
    const answer = await agent.ask('tools/list', cursor === undefined ? {} : { cursor })
    found += answer.split('"inputSchema":').length - 1
    cursor = /"nextCursor":"([^"]+)"/.exec(answer)?.[1]
  } while (cursor !== undefined)
  if (found < count) throw new Error(`${found} tools are listed, not ${count}`)
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { binary, collect, untilSaid } from '../support/installation.js'
import { forumAgent } from './support/forum-agent.js'
import { ForumInstallation } from './support/forum-installation.js'

/** The demo, its paragraphs as it prints them, and a shell that has `callboard`. */
async function stage() {
  const installation = new ForumInstallation()
  const bin = join(installation.directory, 'bin')
  mkdirSync(bin)
  symlinkSync(binary, join(bin, 'callboard'))
  const child = installation.spawn(['demo', 'forum', '--port', '0'])
  const said = await untilSaid(child, child.stdout, /callboard call .*\n.*callboard call .*\n/)
  const { CALLBOARD_WORKERS: _, ...environment } = installation.environment
  const env = { ...environment, PATH: `${bin}:${installation.environment['PATH']}` }
  const shell = (line: string) => spawn('/bin/sh', ['-c', line], { env, cwd: installation.directory })
  const after = (heading: RegExp) => new RegExp(`${heading.source}:\\n((?: {2}.*\\n)+)`).exec(said)![1]!
  return { installation, shell, after, said }
}

async function outputOf(child: ReturnType<typeof spawn>): Promise<{ readonly code: unknown; readonly stdout: string }> {
  const stdout = collect(child.stdout!)
  const [code] = await once(child, 'close')
  return { code, stdout: stdout() }
}

describe('what the demo forum prints', () => {
  it('starts a hub with the worker, as it stands there, and the calls after it answer', async () => {
    const { installation, shell, after } = await stage()
    const up = shell(after(/A hub with the forum worker, in another terminal/))
    await untilSaid(up, up.stdout, /forum +ready/)
    const examples = after(/Then, for example/)
      .trim()
      .split('\n')
    expect(examples.length).toBeGreaterThan(1)
    for (const line of examples) {
      const { code, stdout } = await outputOf(shell(line.trim()))
      expect(code).toBe(0)
      expect(stdout).toMatch(/"?(results|posts)"?/)
    }
    const agent = await forumAgent(installation, 'legacy', 'ada')
    const tools = await agent.tools()
    expect(tools).toContain('discourse_create_post')
    expect(tools).not.toContain('discourse_select_site')
    const post = { topic_id: 11, raw: 'We would like to help with the bees.' }
    expect(await agent.ask('discourse_create_post', post)).toMatchObject({ outcome: 'done', username: 'mayor' })
  }, 60_000)

  it('starts the worker alone for a hub that runs', async () => {
    const { installation, shell, after } = await stage()
    await installation.hub()
    const worker = shell(
      after(/Or the worker alone, for a hub that runs without one \("callboard ls" lists no worker forum\)/),
    )
    await untilSaid(worker, worker.stderr, /signed in/)
    const agent = await forumAgent(installation, 'modern', 'ada')
    expect(await agent.ask('discourse_search', { query: 'bees' })).toMatchObject({ results: expect.any(Array) })
    expect(await agent.tools()).toContain('discourse_create_post')
  }, 60_000)
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RawAgent, type RawAnswer, type RawMessage } from '@callboard/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Installation } from '../support/installation.js'

const everything = fileURLToPath(new URL('./everything-worker.mjs', import.meta.url))
const versioned = fileURLToPath(new URL('./versioned-worker.mjs', import.meta.url))

const namesIn = ({ result }: RawAnswer) => (result!['tools'] as { name: string }[]).map(({ name }) => name)

describe.each(['legacy', 'modern'] as const)('lists for a %s agent', (era) => {
  /** A hub, and an agent that counts how often it is told of a change. */
  async function stage() {
    const installation = new Installation()
    await installation.hub()
    const attach = async (as: object) => {
      let wake = () => {}
      const agent = {
        told: 0,
        /** Resolves when it was told as often, in total. */
        untilTold: async (count: number) => {
          while (agent.told < count) {
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          }
        },
      }
      const onMessage = ({ method }: RawMessage) => {
        if (method !== 'notifications/tools/list_changed') return
        agent.told += 1
        wake()
      }
      const raw = await RawAgent.attach(join(installation.runtime, 'mcp.sock'), { era, attach: { ...as }, onMessage })
      onTestFinished(() => raw.close())
      if (era === 'modern') {
        const notifications = { toolsListChanged: true }
        raw.begin('subscriptions/listen', { notifications }).answer.catch(() => undefined)
        await raw.ask('server/discover')
      }
      return Object.assign(agent, { raw, names: async () => namesIn(await raw.ask('tools/list')) })
    }
    const operatorSecret = () => readFileSync(join(installation.data, 'operator.secret'), 'utf8').trim()
    return {
      installation,
      agent: await attach({}),
      operator: await attach({ as: 'operator', token: operatorSecret() }),
    }
  }

  it('are answered while a worker hangs, and after it was killed', async () => {
    const { installation, agent } = await stage()
    const worker = await installation.worker(everything)
    await agent.untilTold(1)
    worker.kill('SIGSTOP')
    expect(await agent.names()).toContain('echo')
    worker.kill('SIGKILL')
    // It may come back: what it offers stays listed.
    expect(await agent.names()).toContain('echo')
  })

  it('change with the newest version that is there, and all who see it are told once', async () => {
    const { installation, agent } = await stage()
    await installation.worker(versioned, ['1.0.0', 'first'])
    await agent.untilTold(1)
    const newer = await installation.worker(versioned, ['2.0.0', 'second'])
    await agent.untilTold(2)
    expect(await agent.names()).toEqual(['second'])
    newer.kill('SIGKILL')
    await agent.untilTold(3)
    expect(await agent.names()).toEqual(['first'])
    expect(agent.told).toBe(3)
  })

  it('that hold nothing for an agent are nothing to tell it of', async () => {
    const { installation, agent, operator } = await stage()
    await installation.worker(versioned, ['1.0.0', 'secret', 'operator'])
    await operator.untilTold(1)
    expect([await operator.names(), await agent.names()]).toEqual([['secret'], []])
    expect(agent.told).toBe(0)
  })
})

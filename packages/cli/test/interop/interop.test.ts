import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentKinds, type TestAgent } from '../../../hub/test/mcp/agents.js'
import { features } from './features.js'
import { Stage, ways } from './ways.js'

const stage = new Stage()
beforeAll(() => stage.open())
afterAll(() => stage.close())

// Every feature with every client by every way: real processes, one after the other on one connection.
describe.each(ways)('%s', (way) => {
  describe.each(agentKinds)('%s', (kind) => {
    let agent: TestAgent
    beforeAll(async () => {
      agent = await stage.connect(kind, way)
    })
    afterAll(() => agent.close())

    const era = kind === 'sdk 2 modern' ? 'modern' : 'legacy'
    for (const { name, run, without } of features) {
      if (without?.era !== era) it(name, () => run(agent))
      else it(`${name}: not here, because ${without.because}`, () => without.instead(agent))
    }
  })

  it('a client that finds out by itself speaks the newest revision', async () => {
    const agent = await stage.connect('sdk 2 auto', way)
    expect(agent.client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect((await agent.callTool('echo', { text: 'hi' })).content).toEqual([{ type: 'text', text: 'hi' }])
    await agent.close()
  })
})

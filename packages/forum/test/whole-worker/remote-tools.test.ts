import { describe, expect, it } from 'vitest'
import type { DemoAiTool } from '../../src/demo/setting.js'
import { ada, bob } from '../support/whole-forum.js'
import { adminOf, ask, forum, inTime, refusal, worker, writing } from './support.js'

const inputSchema = {
  type: 'object',
  properties: {
    mood: { enum: ['calm', 'loud'] },
    amount: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
    place: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] },
  },
  required: ['mood'],
}
const song: DemoAiTool = {
  name: 'sing a song!',
  inputSchema,
  answer: (body) => ({
    result: { given: body },
    details: { artifacts: [{ url: 'https://x.example/1', name: 'tune' }] },
  }),
}
const dance: DemoAiTool = { name: 'sing a song?', answer: () => ({ result: 'danced' }) }

describe('a forum’s own tools', () => {
  it.each(['list', 'object'] as const)('are listed with their schema as it is, from a %s', async (shape) => {
    const server = await forum({ aiTools: { shape, tools: [song, dance] } })
    const whole = await worker()
    await whole.select(server.base)
    const own = whole.link.toolsOf(ada.session!).filter(({ name }) => name.startsWith('remote_'))
    expect(own.map(({ name }) => name)).toEqual(['remote_sing_a_song_', 'remote_sing_a_song__2'])
    expect(own.map(({ inputSchema: schema }) => schema)).toEqual([inputSchema, { type: 'object' }])
  })

  it('are called with what they ask for, and their results stay JSON', async () => {
    const server = await forum({ aiTools: { tools: [song] } })
    const whole = await worker({ config: { auth_pairs: [adminOf(server)] } })
    await whole.select(server.base)
    expect(await ask(whole, 'remote_sing_a_song_', { mood: 'calm', amount: null })).toEqual({
      result: { given: { arguments: { mood: 'calm', amount: null }, context: {} } },
      artifacts: [{ url: 'https://x.example/1', name: 'tune' }],
      outcome: 'done',
    })
    expect(server.seen(/^POST/).map(({ path }) => path)).toEqual(['/ai/tools/sing%20a%20song!/call'])
    for (const args of [{}, { mood: 'glad' }, { mood: 'calm', amount: 0 }, { mood: 'calm', place: {} }]) {
      const error = await refusal(whole, 'remote_sing_a_song_', args)
      expect(error).toMatchObject({ code: 'invalid_arguments', outcome: 'rejected', issues: expect.any(Array) })
    }
    expect(server.seen(/^POST/)).toHaveLength(1)
  })

  it('are never repeated, and leave one a second', async () => {
    const server = await forum({ aiTools: { tools: [song] } })
    const whole = await worker({ config: { auth_pairs: [adminOf(server)] } })
    await whole.select(server.base)
    server.fault({ on: /^POST/, kind: 'status', status: 502, html: '<html></html>' })
    const start = whole.clock.now()
    const sung: number[] = []
    const sing = async () => {
      const { code } = await whole.refusal('remote_sing_a_song_', { mood: 'loud' }).catch(() => ({ code: 'done' }))
      sung.push(whole.clock.now() - start)
      return code
    }
    expect(await inTime(whole, Promise.all([sing(), sing()]))).toEqual(['outcome_unknown', 'done'])
    expect(sung.at(-1)).toBeGreaterThanOrEqual(1_000)
    expect(server.seen(/^POST/)).toHaveLength(2)
  })

  it('are unknown after a switch to who calls them all the same; others keep theirs', async () => {
    const server = await forum({ aiTools: { tools: [song] } })
    const plain = await forum()
    const whole = await worker()
    await whole.select(server.base, ada)
    await whole.select(server.base, bob)
    await whole.select(plain.base, ada)
    expect(whole.toolsOf(ada)).not.toContain('remote_sing_a_song_')
    expect(whole.toolsOf(bob)).toContain('remote_sing_a_song_')
    await expect(whole.link.callTool('remote_sing_a_song_', { mood: 'calm' }, ada)).rejects.toMatchObject({
      code: -32_602,
    })
    expect(server.seen(/^POST/)).toEqual([])
  })

  it('of one name are checked by the schema of the caller’s forum', async () => {
    const strict = await forum({ aiTools: { tools: [song] } })
    const loose = await forum({ aiTools: { tools: [{ ...song, inputSchema: undefined }] } })
    const whole = await worker({ config: { auth_pairs: [adminOf(strict), adminOf(loose)] } })
    await whole.select(strict.base, ada)
    await whole.select(loose.base, bob)
    const args = { mood: 'glad' }
    expect((await refusal(whole, 'remote_sing_a_song_', args, ada)).code).toBe('invalid_arguments')
    expect(await ask(whole, 'remote_sing_a_song_', args, bob)).toMatchObject({ outcome: 'done' })
    expect([strict.seen(/^POST/).length, loose.seen(/^POST/).length]).toEqual([0, 1])
  })

  it('are those of now when the same forum is selected again', async () => {
    const server = await forum({ aiTools: { tools: [song] } })
    const whole = await worker()
    await whole.select(server.base)
    server.setting.aiTools = { tools: [{ ...song, name: 'hum' }] }
    await whole.select(server.base)
    expect(whole.toolsOf().filter((name) => name.startsWith('remote_'))).toEqual(['remote_hum'])
    server.setting.aiTools = undefined
    await whole.select(server.base)
    expect(whole.toolsOf().filter((name) => name.startsWith('remote_'))).toEqual([])
  })

  it('are behind the write gate where the operator wants it', async () => {
    const server = await forum({ aiTools: { tools: [song] } })
    const config = { remote_tools_need_writes: true, auth_pairs: [adminOf(server)] }
    const closed = await worker({ config })
    await closed.select(server.base)
    expect(closed.toolsOf()).not.toContain('remote_sing_a_song_')
    const open = await worker({ config: { ...config, ...writing } })
    await open.select(server.base)
    expect(open.toolsOf()).toContain('remote_sing_a_song_')
  })
})

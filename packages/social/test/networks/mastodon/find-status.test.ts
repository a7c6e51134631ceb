import { describe, expect, it } from 'vitest'
import { openMastodonRig, picture } from '../../support/mastodon-rig.js'

const posting = /^POST \/api\/v1\/statuses$/

describe('a post of which nobody knows whether it is out', () => {
  it.each([true, false])('is found, and is there once (server keeps keys: %s)', async (keepsKeys) => {
    await using rig = await openMastodonRig({ keepsKeys })
    const prepared = rig.prepared({ text: 'Hello' })
    rig.server.fault({ kind: 'cut', on: posting })
    expect(await rig.network.publish(prepared)).toMatchObject({ kind: 'unknown' })
    const [own] = rig.server.own
    expect(await rig.network.find(prepared)).toEqual({ kind: 'sent', ref: { id: own!.id }, url: own!.url })
  })

  it.each([true, false])('is absent, and sent again is there once (server keeps keys: %s)', async (keepsKeys) => {
    await using rig = await openMastodonRig({ keepsKeys })
    const prepared = rig.prepared({ text: 'Hello' })
    rig.server.fault({ kind: 'drop', on: posting })
    await rig.network.publish(prepared)
    expect(await rig.network.find(prepared)).toEqual({ kind: 'absent' })
    expect(await rig.network.publish(prepared)).toMatchObject({ kind: 'sent' })
    expect(rig.server.own).toHaveLength(1)
  })

  it('is there once even if it is sent again with the same key', async () => {
    await using rig = await openMastodonRig()
    const prepared = rig.prepared({ text: 'Hello' })
    rig.server.fault({ kind: 'cut', on: posting })
    await rig.network.publish(prepared)
    expect(await rig.network.publish(prepared)).toMatchObject({ kind: 'sent', ref: { id: rig.server.own[0]!.id } })
    expect(rig.server.own).toHaveLength(1)
  })

  it('is known by what the server makes of its text', async () => {
    await using rig = await openMastodonRig()
    rig.server.addAccount({ username: 'Bob', host: 'elsewhere.example' })
    const text =
      '@bob@elsewhere.example  look: <b>https://www.example.com/a/very/long/path/that/goes/on/and/on?x=1&y=2</b>\n' +
      'É #Tag & "more"\n\n\n\nBye :-) '
    const prepared = rig.prepared({ text })
    await rig.network.publish(prepared)
    expect(await rig.network.find(prepared)).toMatchObject({ kind: 'sent' })
  })

  it.each([
    ['another text', { text: 'Hello!' }],
    ['another parent', { parent: { id: '1' } }],
    ['another content warning', { contentWarning: 'Cats' }],
    ['files', { media: [picture()] }],
  ])('is not one with %s', async (_, difference) => {
    await using rig = await openMastodonRig()
    await rig.network.publish(rig.prepared({ text: 'Hello' }))
    const other = rig.prepared({ text: 'Hello', ...difference })
    expect(await rig.network.find(other)).toEqual({ kind: 'absent' })
  })

  it('is not an equal one from before', async () => {
    await using rig = await openMastodonRig()
    await rig.network.publish(rig.prepared({ text: 'Hello' }))
    rig.clock.advance(6 * 60_000)
    expect(await rig.network.find(rig.prepared({ text: 'Hello' }))).toEqual({ kind: 'absent' })
  })

  it('is not a repost or a post of somebody else', async () => {
    await using rig = await openMastodonRig()
    const strangers = rig.server.addStatus({ text: 'Hello' })
    rig.server.addStatus({ by: rig.server.me, text: 'Hello', reblogOf: strangers })
    expect(await rig.network.find(rig.prepared({ text: 'Hello' }))).toEqual({ kind: 'absent' })
  })

  it('is found behind many others', async () => {
    await using rig = await openMastodonRig()
    const prepared = rig.prepared({ text: 'Hello' })
    await rig.network.publish(prepared)
    for (let number = 0; number < 100; number++) rig.server.addStatus({ by: rig.server.me, text: `Post ${number}` })
    expect(await rig.network.find(prepared)).toMatchObject({ kind: 'sent' })
    expect(rig.server.calls(/\/statuses$/).filter(({ method }) => method === 'GET')).toHaveLength(3)
  })

  it('is given up to a person behind 400 others', async () => {
    await using rig = await openMastodonRig()
    const prepared = rig.prepared({ text: 'Hello' })
    for (let number = 0; number < 500; number++) rig.server.addStatus({ by: rig.server.me, text: `Post ${number}` })
    expect(await rig.network.find(prepared)).toMatchObject({ kind: 'undecidable' })
  })

  it('is not said to be absent when the server does not answer', async () => {
    await using rig = await openMastodonRig()
    rig.server.fault({ kind: 'status', status: 503, times: 9 })
    await expect(rig.network.find(rig.prepared({ text: 'Hello' }))).rejects.toMatchObject({
      code: 'network_unavailable',
    })
  })
})

describe('taking a post back', () => {
  it('deletes it, and may be repeated', async () => {
    await using rig = await openMastodonRig()
    const sent = await rig.network.publish(rig.prepared({ text: 'Hello' }))
    if (sent.kind !== 'sent') throw new Error('not sent')
    await rig.network.remove(sent.ref)
    expect(rig.server.own).toEqual([])
    await rig.network.remove(sent.ref)
    expect(await rig.network.posts([sent.ref])).toEqual([])
  })

  it('is sent once, and says that it failed', async () => {
    await using rig = await openMastodonRig()
    rig.server.fault({ kind: 'status', status: 500 })
    await expect(rig.network.remove({ id: '1' })).rejects.toMatchObject({ code: 'network_api_error', retryable: false })
    expect(rig.server.requests).toHaveLength(1)
  })
})

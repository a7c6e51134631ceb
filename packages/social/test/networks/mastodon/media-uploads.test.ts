import { describe, expect, it } from 'vitest'
import { openMastodonRig, picture } from '../../support/mastodon-rig.js'
import type { MastodonFault } from '../../support/mastodon-server.js'

const uploading = /^POST \/api\/v2\/media$/
const polling = /^GET \/api\/v1\/media\//
const posting = /^POST \/api\/v1\/statuses$/

describe('files of a post on Mastodon', () => {
  it('go up first, in order, with their descriptions', async () => {
    await using rig = await openMastodonRig()
    const media = [picture('One'), picture('Two'), picture('')]
    expect(await rig.network.publish(rig.prepared({ text: 'Look', media }))).toMatchObject({ kind: 'sent' })
    expect(rig.server.own[0]!.media).toMatchObject([
      { description: 'One', mime: 'image/png', bytes: 4 },
      { description: 'Two' },
      { description: null },
    ])
  })

  it('may be the whole post', async () => {
    await using rig = await openMastodonRig()
    expect(await rig.network.publish(rig.prepared({ media: [picture()] }))).toMatchObject({ kind: 'sent' })
  })

  it('are waited for while the server works on them', async () => {
    await using rig = await openMastodonRig({ mediaPolls: 5 })
    expect(await rig.network.publish(rig.prepared({ media: [picture()] }))).toMatchObject({ kind: 'sent' })
    expect(rig.server.calls(polling)).toHaveLength(5)
  })

  it('are not waited for without end, and are not uploaded again by the next try', async () => {
    await using rig = await openMastodonRig({ mediaPolls: 90 })
    const prepared = rig.prepared({ media: [picture()] })
    expect(await rig.network.publish(prepared)).toMatchObject({ kind: 'delayed', code: 'network_unavailable' })
    expect(rig.server.own).toEqual([])
    expect(await rig.network.publish(prepared)).toMatchObject({ kind: 'sent' })
    expect(rig.server.calls(uploading)).toHaveLength(1)
  })

  it.each<[string, RegExp, MastodonFault, object]>([
    ['422', uploading, { kind: 'status', status: 422 }, { kind: 'rejected', code: 'media_upload_error' }],
    ['413', uploading, { kind: 'status', status: 413 }, { kind: 'rejected', code: 'media_upload_error' }],
    ['401', uploading, { kind: 'status', status: 401 }, { kind: 'rejected', code: 'network_auth_expired' }],
    [
      '429',
      uploading,
      { kind: 'too-many', resetInMs: 60_000 },
      { kind: 'delayed', code: 'network_rate_limited', retryAfterMs: 60_000 },
    ],
    ['500', uploading, { kind: 'status', status: 500 }, { kind: 'delayed', code: 'network_unavailable' }],
    ['a cut connection', uploading, { kind: 'cut' }, { kind: 'delayed', code: 'network_unavailable' }],
    ['an odd answer', uploading, { kind: 'body', body: '[]' }, { kind: 'rejected', code: 'media_upload_error' }],
    ['work that fails', polling, { kind: 'status', status: 422 }, { kind: 'rejected', code: 'media_upload_error' }],
    ['a file that is lost', polling, { kind: 'status', status: 404 }, { kind: 'rejected', code: 'media_upload_error' }],
    [
      'a server that goes away',
      polling,
      { kind: 'status', status: 503, times: 3 },
      { kind: 'delayed', code: 'network_unavailable' },
    ],
  ])('that fail with %s keep the post from going out', async (_, on, fault, outcome) => {
    await using rig = await openMastodonRig({ mediaPolls: 1_000 })
    rig.server.fault({ ...fault, on })
    expect(await rig.network.publish(rig.prepared({ text: 'Look', media: [picture()] }))).toMatchObject(outcome)
    expect(rig.server.calls(posting)).toEqual([])
  })

  it('get a minute to go up', async () => {
    await using rig = await openMastodonRig()
    rig.server.fault({ kind: 'hold', on: uploading })
    const arrived = rig.server.next()
    const publishing = rig.network.publish(rig.prepared({ media: [picture()] }))
    await arrived
    rig.clock.advance(59_000)
    rig.server.release()
    expect(await publishing).toMatchObject({ kind: 'sent' })
  })
})

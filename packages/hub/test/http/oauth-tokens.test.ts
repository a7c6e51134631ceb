import { UnsecuredJWT } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { OAuthTokens, oauthAgentName } from '../../src/http/oauth-tokens.js'
import type { OAuthConfig } from '../../src/oauth-config.js'
import { tokenHash } from '../../src/token-file.js'
import { AuthorizationServer, type TokenWish } from './authorization-server.js'

const audience = 'https://tools.example.org/mcp'
const ada = { principal: 'agent:ada', roles: ['agent'], group: 'lab' } as const

async function setup(more: Partial<OAuthConfig> = {}) {
  const server = await AuthorizationServer.start()
  const clock = { now: Date.now() }
  const oauth = {
    issuer: server.url,
    resource: audience,
    audience,
    requiredScopes: [],
    principalClaim: 'sub',
    agents: {},
    ...more,
  }
  const tokens = new OAuthTokens(
    oauth,
    (name) => (name === 'ada' ? ada : undefined),
    () => clock.now,
  )
  const verify = (token: string) => tokens.verify(token, tokenHash(token))
  const judge = async (wish?: TokenWish) => verify(await server.token(audience, wish))
  return { server, clock, verify, judge }
}
const seconds = () => Math.floor(Date.now() / 1000)

describe('a token of the authorization server', () => {
  it('is somebody of its own, for as long as it says and a little', async () => {
    const { judge } = await setup()
    const exp = seconds() + 600
    expect(await judge({ claims: { sub: 'someone', exp } })).toEqual({
      kind: 'accepted',
      who: { principal: 'agent:oauth.someone', roles: ['agent'], credential: 'oauth', until: exp * 1000 + 30_000 },
    })
  })

  it.each(['RS256', 'PS384', 'ES512', 'EdDSA'])('is signed with %s', async (algorithm) => {
    const { server, judge } = await setup()
    await server.rotate(algorithm)
    expect(await judge()).toMatchObject({ kind: 'accepted' })
  })

  it('is checked once, and then known until its end', async () => {
    const { server, clock, verify } = await setup()
    const token = await server.token(audience, { claims: { exp: Math.floor(clock.now / 1000) + 60 } })
    const first = await verify(token)
    expect(verify(token)).toBe(first)
    clock.now += 120_000
    expect(await verify(token)).toMatchObject({ kind: 'invalid' })
  })

  it.each([
    ['another audience', { aud: 'https://other.example.org/mcp' }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://evil.example.org' }],
    ['no issuer', { iss: undefined }],
    ['an end in the past', { exp: seconds() - 31 }],
    ['no end', { exp: undefined }],
    ['a beginning in the future', { nbf: seconds() + 60 }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is no text', { sub: 7 as unknown as string }],
  ])('is not good with %s', async (_, claims) => {
    const { judge } = await setup()
    expect(await judge({ claims: claims as never })).toMatchObject({ kind: 'invalid' })
  })

  it('may be for several audiences, and some seconds early or late', async () => {
    const { judge } = await setup()
    expect(await judge({ claims: { aud: ['https://other.example.org', audience] } })).toMatchObject({
      kind: 'accepted',
    })
    expect(await judge({ claims: { exp: seconds() - 20 } })).toMatchObject({ kind: 'accepted' })
    expect(await judge({ claims: { nbf: seconds() + 20 } })).toMatchObject({ kind: 'accepted' })
  })

  it('is not good without a signature, nor with one made from what everybody knows', async () => {
    const { server, verify } = await setup()
    const claims = { iss: server.url, aud: audience, sub: 'ada', exp: seconds() + 600 }
    expect(await verify(new UnsecuredJWT(claims).encode())).toMatchObject({ kind: 'invalid' })
    const secret = Buffer.from(JSON.stringify(server.jwk))
    const forged = await server.token(audience, { header: { alg: 'HS256' }, key: secret })
    expect(await verify(forged)).toMatchObject({ kind: 'invalid' })
    const [head, , signature] = (await server.token(audience)).split('.')
    const body = Buffer.from(JSON.stringify({ ...claims, sub: 'operator' })).toString('base64url')
    expect(await verify(`${head}.${body}.${signature}`)).toMatchObject({ kind: 'invalid' })
  })

  it('is not good with a key of its own making', async () => {
    const { server, judge } = await setup()
    const other = await AuthorizationServer.start()
    const forged = await other.token(audience, {
      claims: { iss: server.url },
      header: { kid: server.jwk.kid, jwk: other.jwk },
    })
    const { verify } = await setup()
    expect(await verify(forged)).toMatchObject({ kind: 'invalid' })
    expect(await judge({ header: { kid: 'nobody' } })).toMatchObject({ kind: 'invalid' })
  })

  it.each(['a.b.c', '..', `${'x'.repeat(9_000)}.y.z`, 'e30.e30.e30', '\u{1F600}.b.c'])('is not %s', async (text) => {
    const { server, verify } = await setup()
    expect(await verify(text)).toMatchObject({ kind: 'invalid' })
    expect(server.asked).toEqual([])
  })
})

describe('scopes', () => {
  const scoped = { requiredScopes: ['use', 'call'], operatorScope: 'decide' }

  it.each([
    ['use call', 'accepted'],
    ['call more use', 'accepted'],
    ['use', 'insufficient_scope'],
    ['', 'insufficient_scope'],
    ['usecall', 'insufficient_scope'],
  ])('%j: %s', async (scope, kind) => {
    const { judge } = await setup(scoped)
    expect(await judge({ claims: { scope } })).toMatchObject({ kind })
  })

  it('are in scp with some servers', async () => {
    const { judge } = await setup(scoped)
    expect(await judge({ claims: { scp: ['use', 'call'] } })).toMatchObject({ kind: 'accepted' })
    expect(await judge({ claims: { scp: 'use call' } })).toMatchObject({ kind: 'accepted' })
    expect(await judge({ claims: {} })).toMatchObject({ kind: 'insufficient_scope' })
  })

  it('make an operator only by the one that is for that', async () => {
    const { judge } = await setup(scoped)
    const who = { principal: 'agent:oauth.someone', roles: ['agent', 'operator'] }
    expect(await judge({ claims: { scope: 'use call decide' } })).toMatchObject({ kind: 'accepted', who })
    expect(await judge({ claims: { scope: 'use call' } })).toMatchObject({ who: { roles: ['agent'] } })
    const { judge: plain } = await setup()
    expect(await plain({ claims: { scope: 'operator decide', roles: ['operator'] } })).toMatchObject({
      who: { roles: ['agent'] },
    })
  })
})

describe('who it is', () => {
  it.each([
    ['ada', 'oauth.ada'],
    ['operator', 'oauth.operator'],
    ['agent:ada', /^oauth\.sha256\.[\w-]{43}$/],
    ['oauth.ada', /^oauth\.sha256\.[\w-]{43}$/],
    ['sha256.x', /^oauth\.sha256\.[\w-]{43}$/],
    ['ada@example.org', /^oauth\.sha256\.[\w-]{43}$/],
    ['a'.repeat(58), `oauth.${'a'.repeat(58)}`],
    ['a'.repeat(59), /^oauth\.sha256\.[\w-]{43}$/],
    ['../../etc', /^oauth\.sha256\.[\w-]{43}$/],
  ])('%s', (subject, name) => {
    expect(oauthAgentName(subject)).toEqual(typeof name === 'string' ? name : expect.stringMatching(name))
  })

  it('is an agent of the config only where the config says so', async () => {
    const { judge } = await setup({ agents: { 'sub-of-ada': 'ada', gone: 'nobody' }, operatorScope: 'decide' })
    const known = await judge({ claims: { sub: 'sub-of-ada', scope: 'decide' } })
    expect(known).toMatchObject({ who: { ...ada, credential: 'oauth' } })
    expect(await judge({ claims: { sub: 'ada' } })).toMatchObject({ who: { principal: 'agent:oauth.ada' } })
    expect(await judge({ claims: { sub: 'constructor' } })).toMatchObject({
      who: { principal: 'agent:oauth.constructor' },
    })
  })

  it('is in another claim if the config says so', async () => {
    const { judge } = await setup({ principalClaim: 'login' })
    expect(await judge({ claims: { login: 'ada' } })).toMatchObject({ who: { principal: 'agent:oauth.ada' } })
    expect(await judge()).toMatchObject({ kind: 'invalid' })
  })
})

describe('the keys', () => {
  const wellKnown = '/.well-known/oauth-authorization-server'

  it('are found through the metadata, once', async () => {
    const { server, judge } = await setup()
    await Promise.all([judge(), judge(), judge()])
    await judge()
    expect(server.asked).toEqual([wellKnown, '/keys'])
  })

  it('are found through OpenID Connect, and where the config says', async () => {
    const { server, judge } = await setup()
    server.answers.set(wellKnown, (_, response) => void response.writeHead(404).end())
    server.answers.set('/.well-known/openid-configuration', (_, response) => {
      response.end(JSON.stringify({ issuer: server.url, jwks_uri: `${server.url}/keys` }))
    })
    expect(await judge()).toMatchObject({ kind: 'accepted' })
    const other = await AuthorizationServer.start()
    const { verify } = await setup({ issuer: other.url, jwksUri: `${other.url}/keys` })
    expect(await verify(await other.token(audience))).toMatchObject({ kind: 'accepted' })
    expect(other.asked).toEqual(['/keys'])
  })

  it('are fetched again for a token with a new one, but not for each that has none', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { server, judge } = await setup()
    await judge()
    const before = server.asked.length
    await server.rotate()
    for (let count = 0; count < 5; count++) expect(await judge()).toMatchObject({ kind: 'invalid' })
    expect(server.asked.length).toBe(before)
    vi.setSystemTime(Date.now() + 30_000)
    expect(await judge()).toMatchObject({ kind: 'accepted' })
    expect(server.asked.length).toBe(before + 1)
  })

  it.each<[string, string, (server: AuthorizationServer) => void]>([
    ['is down', 'fetch failed', (server) => server.stop()],
    [
      'fails',
      'status 500',
      (server) => server.answers.set('/keys', (_, response) => void response.writeHead(500).end()),
    ],
    [
      'sends elsewhere',
      'status 302',
      (server) =>
        server.answers.set('/keys', (_, response) => void response.writeHead(302, { location: '/other' }).end()),
    ],
    ['has no keys', 'no key set', (server) => server.answers.set('/keys', (_, response) => void response.end('{}'))],
    [
      'talks without end',
      'too long',
      (server) => server.answers.set('/keys', (_, response) => void response.end(`"${'x'.repeat(300_000)}"`)),
    ],
    ['is no JSON', 'JSON', (server) => server.answers.set('/keys', (_, response) => void response.end('<html>'))],
    [
      'is another',
      'another issuer',
      (server) =>
        server.answers.set(wellKnown, (_, response) => {
          response.end(JSON.stringify({ issuer: 'https://other.example.org', jwks_uri: `${server.url}/keys` }))
        }),
    ],
    [
      'has its keys in the open',
      'no usable jwks_uri',
      (server) =>
        server.answers.set(wellKnown, (_, response) => {
          response.end(JSON.stringify({ issuer: server.url, jwks_uri: 'http://login.example.org/keys' }))
        }),
    ],
  ])('nothing can be said while the server %s', async (_, why, break_) => {
    const { server, clock, verify } = await setup()
    const token = await server.token(audience)
    break_(server)
    expect(await verify(token)).toMatchObject({ kind: 'unavailable', why: expect.stringContaining(why), isNews: true })
    const asked = server.asked.length
    expect(await verify(token)).toMatchObject({ kind: 'unavailable', isNews: false })
    expect(server.asked.length).toBe(asked)
    server.answers.clear()
    clock.now += 5_000
    if (why !== 'fetch failed') expect(await verify(token)).toMatchObject({ kind: 'accepted' })
  })

  it('a token that needs none is judged while the server is down', async () => {
    const { server, judge } = await setup()
    await judge()
    const good = await server.token(audience, { claims: { sub: 'another' } })
    server.stop()
    const { verify } = await setup()
    expect(await verify(good)).toMatchObject({ kind: 'invalid' })
    expect(await judge({ claims: { sub: 'third' } })).toMatchObject({ kind: 'accepted' })
  })
})

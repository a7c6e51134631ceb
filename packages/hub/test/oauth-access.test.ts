import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createHubLog, parseHubConfig, startHub } from '../src/index.js'
import { changeTokens, newToken } from '../src/token-file.js'
import { AuthorizationServer } from './http/authorization-server.js'
import { HttpAgent } from './http-agent.js'
import { RawWorker } from './raw-worker.js'
import { SocketAgent } from './socket-agent.js'
import { temporaryDirectory } from './temporary.js'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A hub that takes the tokens of an authorization server, with a worker. */
async function install(oauth: object = {}, http: object = {}) {
  const server = await AuthorizationServer.start()
  const [runtime, data, port] = await Promise.all([temporaryDirectory(), temporaryDirectory(), freePort()])
  const environment = { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data, CALLBOARD_HTTP: `127.0.0.1:${port}` }
  const publicUrl = `http://127.0.0.1:${port}`
  const section = { publicUrl, oauth: { issuer: server.url, ...oauth }, ...http }
  const config = parseHubConfig({ environment, file: { http: section, agents: { ada: { group: 'lab' } } } })
  const hub = await startHub({ config, version: '0.0.0', log: createHubLog('silent', process.stderr), expects: [] })
  onTestFinished(() => hub.stop())
  const worker = await new RawWorker(hub.workerEndpoint).signIn()
  const url = `${publicUrl}/mcp`
  return { hub, data, server, worker, publicUrl, url, token: (claims = {}) => server.token(url, { claims }) }
}

const metadataOf = (publicUrl: string) => `${publicUrl}/.well-known/oauth-protected-resource/mcp`

it('a client without a token learns where to get one', async () => {
  const { server, publicUrl, url } = await install({ requiredScopes: ['use'], operatorScope: 'decide' })
  const refused = [
    (await HttpAgent.modern(url).call('raw')).headers,
    (await fetch(url, { headers: { 'mcp-session-id': 'x' } })).headers,
  ]
  for (const headers of refused) {
    const challenge = `Bearer resource_metadata="${metadataOf(publicUrl)}", scope="use"`
    expect(headers.get('www-authenticate')).toBe(challenge)
  }
  for (const path of ['', '/mcp']) {
    const response = await fetch(`${publicUrl}/.well-known/oauth-protected-resource${path}`)
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        resource: url,
        authorization_servers: [server.url],
        bearer_methods_supported: ['header'],
        scopes_supported: ['use', 'decide'],
        resource_name: 'Callboard',
      },
    ])
  }
  expect((await fetch(metadataOf(publicUrl), { method: 'POST' })).status).toBe(405)
  // Whoever is nobody learns nothing of paths.
  expect((await fetch(`${publicUrl}/.well-known/oauth-protected-resource/other`)).status).toBe(401)
})

it('its token lets it in, in both generations, in the session of its principal', async () => {
  const { worker, url, token } = await install({ agents: { 'sub-of-ada': 'ada' } })
  const callerOf = async (agent: HttpAgent) => {
    const called = agent.call('raw')
    const { id, caller } = await worker.next('request')
    await worker.respond(id)
    expect((await called).status).toBe(200)
    return caller as { principal: string; session: string; group?: string }
  }
  const someone = await callerOf(HttpAgent.modern(url, await token()))
  expect(someone).toMatchObject({ principal: 'agent:oauth.someone', roles: ['agent'] })
  // The next token of the same principal.
  expect((await callerOf(HttpAgent.modern(url, await token({ jti: 'another' })))).session).toBe(someone.session)
  const ada = await token({ sub: 'sub-of-ada' })
  expect(await callerOf(await HttpAgent.legacy(url, ada))).toMatchObject({ principal: 'agent:ada', group: 'lab' })
})

it('a legacy session goes on with the next token of its principal, and with no other', async () => {
  const { url, token } = await install({ operatorScope: 'decide' })
  const agent = await HttpAgent.legacy(url, await token())
  expect(await agent.withToken(await token({ jti: 'next' })).tools()).toEqual(['raw'])
  expect((await agent.withToken(await token({ sub: 'another' })).ask('tools/list')).status).toBe(404)
  expect((await agent.withToken(await token({ scope: 'decide' })).ask('tools/list')).status).toBe(404)
})

it('what is wrong with a token is said as the specification has it', async () => {
  const { publicUrl, url, token } = await install({ requiredScopes: ['use'] })
  const where = `resource_metadata="${metadataOf(publicUrl)}", scope="use"`
  const wrong = await HttpAgent.modern(url, await token({ aud: 'https://other.example.org' })).call('raw')
  expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer error="invalid_token", error_description="This token is not known here, or has ended.", ${where}`,
  ])
  const weak = await HttpAgent.modern(url, await token()).call('raw')
  expect([weak.status, weak.headers.get('www-authenticate')]).toEqual([
    403,
    `Bearer error="insufficient_scope", ${where}`,
  ])
  expect((await HttpAgent.modern(url, await token({ scope: 'use' })).call('nothing')).status).not.toBe(403)
})

it('while the authorization server is away nobody is turned away for good, and nobody let in', async () => {
  const { server, url, token } = await install()
  const good = await token()
  server.stop()
  const { status, headers } = await HttpAgent.modern(url, good).call('raw')
  expect([status, headers.get('retry-after'), headers.get('www-authenticate')]).toEqual([503, '5', null])
})

it('our own tokens are as good as ever, and those of the server open nothing but HTTP', async () => {
  const { hub, data, url, token } = await install()
  const { token: own, ...record } = newToken([])
  await changeTokens(data, () => [{ ...record, name: 'bob', roles: ['agent'], createdAt: 0 }])
  expect(await HttpAgent.modern(url, own).tools()).toEqual(['raw'])
  expect((await HttpAgent.modern(url, 'cbt_nonsense').call('raw')).status).toBe(401)
  const { greeting } = await SocketAgent.introduce(hub.mcpSocketPath, { token: (await token()).slice(0, 256) })
  expect(greeting.error?.code).toBe('unauthorized')
})

it('what is open without a token stays so where the config says it', async () => {
  const { url } = await install({}, { open: ['raw'] })
  expect(await HttpAgent.modern(url).tools()).toEqual(['raw'])
})

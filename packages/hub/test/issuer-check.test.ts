import { expect, it } from 'vitest'
import { issuerProblem } from '../src/index.js'
import { AuthorizationServer } from './http/authorization-server.js'

it('nothing is wrong with a server that gives its keys', async () => {
  const { url } = await AuthorizationServer.start()
  expect(await issuerProblem({ issuer: url }, 10_000)).toBeUndefined()
  expect(await issuerProblem({ issuer: url, jwksUri: `${url}/keys` }, 10_000)).toBeUndefined()
})

it.each(['/.well-known/oauth-authorization-server', '/keys'])(
  'a server that is silent at %s is not waited for',
  async (path) => {
    const server = await AuthorizationServer.start()
    server.answers.set(path, () => undefined)
    expect(await issuerProblem({ issuer: server.url }, 50)).toBe('it did not answer within 50 ms')
  },
)

it.each([
  [
    '/.well-known/oauth-authorization-server',
    '{"issuer":"https://other.example"}',
    'its metadata names another issuer',
  ],
  ['/.well-known/oauth-authorization-server', '[]', /answered with no object$/],
  ['/keys', '{"keys":7}', 'its keys are no key set'],
])('a server that says something else at %s: %s', async (path, said, problem) => {
  const server = await AuthorizationServer.start()
  server.answers.set(path, (_, response) => void response.end(said))
  expect(await issuerProblem({ issuer: server.url }, 10_000)).toMatch(problem)
})

import { describe, expect, it } from 'vitest'
import { Identities, type IdentitiesOptions } from '../src/identities.js'
import type { Identity } from '../src/index.js'
import { TokenFileError, type TokenRecord, tokenHash } from '../src/token-file.js'

const run: Identity = {
  session: 'run-1',
  principal: 'agent:sleepy',
  roles: ['agent'],
  run: { id: 'r', attempt: 1, triggerDepth: 0 },
}
const agents = {
  ada: { token: 'the token of ada', group: 'family', roles: ['agent', 'operator'] },
  bob: { roles: ['agent'] },
} as const

const record = (token: string, more: Partial<TokenRecord> = {}): TokenRecord => ({
  id: 'tok:00000001',
  name: 'carl',
  hash: tokenHash(token),
  roles: ['agent'],
  createdAt: 0,
  ...more,
})
/** A token file with these records. */
const tokensOf = (...records: TokenRecord[]): IdentitiesOptions['tokens'] => ({
  find: (hash) => records.find((each) => each.hash === hash),
  hasTokens: (name) => records.some((each) => each.name === name),
})
const fail = () => {
  throw new TokenFileError('The token file /data/tokens.json is broken.')
}
const broken: IdentitiesOptions['tokens'] = { find: fail, hasTokens: fail }

const identities = (options: Partial<IdentitiesOptions> = {}) =>
  new Identities({
    agents: {},
    operatorSecret: 'the operator secret',
    sessionSecret: 'the session secret',
    localToken: 'the local token',
    tokens: tokensOf(),
    httpOpen: ['qda'],
    findRun: (token) => (token === 'the run token' ? run : undefined),
    ...options,
  })

const attach = (options: Partial<IdentitiesOptions>, who: { as?: string; token?: string; key?: string } = {}) =>
  identities(options).attach({ key: 'a key', ...who })

describe('an agent that attaches', () => {
  it('is main while the config names no agents', () => {
    const main = { principal: 'agent:main', roles: ['agent'], group: 'main' }
    expect(attach({})).toMatchObject(main)
    expect(attach({}, { as: 'main' })).toMatchObject(main)
  })

  it('is nobody in particular once the config names agents, and has no group', () => {
    expect(attach({ agents })).toEqual({ principal: 'agent:anonymous', roles: ['agent'], session: expect.any(String) })
    expect(attach({ agents }, { as: 'main' })).toMatchObject({ error: { code: 'unknown_agent' } })
  })

  it('is one of the config by its name, with its token where it has one', () => {
    expect(attach({ agents }, { as: 'bob' })).toMatchObject({ principal: 'agent:bob', roles: ['agent'] })
    expect(attach({ agents: { eve: { roles: ['operator'] } } }, { as: 'eve' })).toMatchObject({
      error: { code: 'forbidden', message: 'Agent eve needs its token: set CALLBOARD_TOKEN to it.' },
    })
    const ada = { principal: 'agent:ada', group: 'family', roles: ['agent', 'operator'] }
    expect(attach({ agents }, { as: 'ada', token: 'the token of ada' })).toMatchObject(ada)
    expect(attach({ agents }, { token: 'the token of ada' })).toMatchObject(ada)
    expect(attach({ agents }, { as: 'ada' })).toMatchObject({ error: { code: 'forbidden' } })
    expect(attach({ agents }, { as: 'ada', token: 'the token of bob' })).toMatchObject({ error: { code: 'forbidden' } })
  })

  it.each(['carol', 'toString', '__proto__', 'constructor'])('is not %s, whom the config does not name', (as) => {
    expect(attach({ agents }, { as })).toMatchObject({ error: { code: 'unknown_agent' } })
  })

  it('is the operator by the operator secret, and by nothing else', () => {
    const operator = { principal: 'operator:local', roles: ['agent', 'operator'] }
    expect(attach({}, { as: 'operator', token: 'the operator secret' })).toMatchObject(operator)
    expect(attach({}, { token: 'the operator secret' })).toMatchObject(operator)
    for (const token of [undefined, '', 'the run token', 'the token of ada']) {
      const who = { as: 'operator', ...(token === undefined ? {} : { token }) }
      expect(attach({ agents }, who)).toMatchObject({ error: { code: 'forbidden' } })
    }
    expect(attach({}, { as: 'operator' })).toMatchObject({
      error: { message: expect.stringContaining('operator.secret') },
    })
    const pretender = { operator: { roles: ['agent'] } } as const
    expect(attach({ agents: pretender }, { as: 'operator' })).toMatchObject({ error: { code: 'forbidden' } })
  })

  it('is a run by a token that a worker minted, in the session of that token', () => {
    expect(attach({}, { token: 'the run token' })).toBe(run)
    expect(attach({ agents: { sleepy: { roles: ['agent'] } } }, { as: 'sleepy', token: 'the run token' })).toBe(run)
  })

  it.each([
    ['bob', 'garbage', 'CALLBOARD_TOKEN is not a token of bob: set it to one, or unset it if bob has none.'],
    ['bob', 'cbt_garbage', 'CALLBOARD_TOKEN is not a token of bob: set it to one, or unset it if bob has none.'],
    ['bob', 'the token of ada', 'CALLBOARD_TOKEN is not a token of bob: set it to one, or unset it if bob has none.'],
    ['bob', 'the run token', 'CALLBOARD_TOKEN is not a token of bob: set it to one, or unset it if bob has none.'],
    [
      'bob',
      'the operator secret',
      'CALLBOARD_TOKEN is the operator secret, and not a token of bob: say --as operator, or set it to a token of bob.',
    ],
  ])('is not %s by %j, although it needs no token', (as, token, message) => {
    expect(attach({ agents }, { as, token })).toEqual({ error: { code: 'forbidden', message } })
  })

  it('is not main by a token that is not good either', () => {
    expect(attach({}, { as: 'main', token: 'garbage' })).toMatchObject({ error: { code: 'forbidden' } })
    expect(attach({}, { as: 'main', token: 'the local token' })).toMatchObject({ principal: 'agent:main' })
  })

  it('is what an agent without a token is by the local token', () => {
    for (const options of [{}, { agents }]) {
      const { session: _, ...nameless } = attach(options) as Identity
      expect(attach(options, { token: 'the local token' })).toMatchObject(nameless)
      expect(identities(options).http('the local token', undefined)).toMatchObject(nameless)
    }
    expect(attach({ agents }, { as: 'bob', token: 'the local token' })).toMatchObject({ principal: 'agent:bob' })
    expect(attach({ agents }, { as: 'ada', token: 'the local token' })).toMatchObject({ error: { code: 'forbidden' } })
  })

  it('is refused with a token that nobody knows', () => {
    expect(attach({}, { token: 'nonsense' })).toMatchObject({ error: { code: 'unauthorized' } })
  })
})

describe('a token of the token file', () => {
  const carls = { tokens: tokensOf(record('cbt_carl', { roles: ['agent', 'operator'], group: 'lab' })) }
  const carl = { principal: 'agent:carl', roles: ['agent', 'operator'], group: 'lab', credential: 'tok:00000001' }

  it('is its agent, named or not, on every way in', () => {
    expect(attach(carls, { token: 'cbt_carl' })).toMatchObject(carl)
    expect(attach(carls, { as: 'carl', token: 'cbt_carl' })).toMatchObject(carl)
    expect(identities(carls).http('cbt_carl', undefined)).toMatchObject(carl)
  })

  it('is no other agent', () => {
    for (const as of ['bob', 'ada']) {
      expect(attach({ ...carls, agents }, { as, token: 'cbt_carl' })).toMatchObject({ error: { code: 'forbidden' } })
    }
    expect(attach(carls, { as: 'operator', token: 'cbt_carl' })).toMatchObject({ error: { code: 'forbidden' } })
  })

  it('is needed by whoever says that it is an agent that has one', () => {
    expect(attach(carls, { as: 'carl' })).toMatchObject({ error: { code: 'forbidden' } })
    expect(attach(carls, { as: 'carl', token: 'cbt_other' })).toMatchObject({ error: { code: 'forbidden' } })
    const bobs = { agents, tokens: tokensOf(record('cbt_bob', { name: 'bob' })) }
    expect(attach(bobs, { as: 'bob' })).toMatchObject({ error: { code: 'forbidden' } })
    expect(attach(bobs, { as: 'bob', token: 'cbt_bob' })).toMatchObject({ principal: 'agent:bob' })
  })

  it('gives an agent of the config what the config says, and nothing of its own', () => {
    const adas = { agents, tokens: tokensOf(record('cbt_ada', { name: 'ada', roles: ['agent'], group: 'elsewhere' })) }
    const ada = { principal: 'agent:ada', group: 'family', roles: ['agent', 'operator'], credential: 'tok:00000001' }
    expect(attach(adas, { token: 'cbt_ada' })).toMatchObject(ada)
    expect(attach(adas, { as: 'ada', token: 'the token of ada' })).toMatchObject({ principal: 'agent:ada' })
    const bobs = { agents, tokens: tokensOf(record('cbt_bob', { name: 'bob', roles: ['operator'], group: 'lab' })) }
    const bob = attach(bobs, { token: 'cbt_bob' })
    expect(bob).toMatchObject({ principal: 'agent:bob', roles: ['agent'] })
    expect(bob).not.toHaveProperty('group')
  })

  it('lets nobody in while the file is broken; what has nothing to do with the file is as good as ever', () => {
    const options = { agents, tokens: broken }
    const unavailable = { error: { code: 'unavailable' } }
    expect(attach(options, { token: 'cbt_carl' })).toMatchObject(unavailable)
    expect(attach(options, { as: 'bob' })).toMatchObject({
      error: { code: 'unavailable', message: expect.stringContaining('/data/tokens.json') },
    })
    const refusal = identities(options).http('cbt_carl', undefined)
    expect(refusal).toMatchObject(unavailable)
    expect(JSON.stringify(refusal)).not.toContain('/data')
    expect(attach(options, { as: 'operator', token: 'the operator secret' })).toMatchObject({
      principal: 'operator:local',
    })
    expect(attach(options, { as: 'ada', token: 'the token of ada' })).toMatchObject({ principal: 'agent:ada' })
    expect(attach(options, { token: 'the run token' })).toBe(run)
    expect(identities(options).http('nonsense', undefined)).toMatchObject({ error: { code: 'unauthorized' } })
  })
})

describe('a session', () => {
  const session = (options: Partial<IdentitiesOptions>, who: { as?: string; token?: string; key?: string }): string =>
    (attach(options, who) as Identity).session

  it('is the same for the same agent with the same key, also after a restart', () => {
    expect(session({}, { key: 'k' })).toBe(session({}, { key: 'k' }))
  })

  it('is another for another key, agent or installation', () => {
    const all = [
      session({ agents }, { as: 'bob', key: 'k' }),
      session({ agents }, { as: 'bob', key: 'l' }),
      session({ agents }, { key: 'k' }),
      session({ agents, sessionSecret: 'another' }, { as: 'bob', key: 'k' }),
    ]
    expect(new Set(all).size).toBe(4)
  })

  it('does not show the key', () => {
    expect(session({}, { key: 'visible' })).not.toContain('visible')
  })
})

describe('an HTTP request', () => {
  it('without a token is agent:http without a group, with the open services only', () => {
    expect(identities().http(undefined, undefined)).toEqual({
      session: expect.any(String),
      principal: 'agent:http',
      roles: ['agent'],
      services: ['qda'],
    })
  })

  it('without a token has all services when they are open', () => {
    expect(identities({ httpOpen: ['*'] }).http(undefined, undefined)).not.toHaveProperty('services')
  })

  it('without a token is refused when nothing is open', () => {
    expect(identities({ httpOpen: [] }).http(undefined, undefined)).toMatchObject({ error: { code: 'unauthorized' } })
  })

  it('with a token is whoever has it', () => {
    const http = (token: string) => identities({ agents }).http(token, undefined)
    expect(http('the operator secret')).toMatchObject({ principal: 'operator:local' })
    expect(http('the token of ada')).toMatchObject({ principal: 'agent:ada', group: 'family' })
    expect(http('the run token')).toBe(run)
    expect(http('nonsense')).toMatchObject({ error: { code: 'unauthorized' } })
  })

  it('is in the session that the client names, else in that of the token, else in that of the principal', () => {
    const sessionOf = (token: string | undefined, key?: string) =>
      (identities({ agents }).http(token, key) as Identity).session
    expect(sessionOf('the token of ada', 'one')).toBe(sessionOf('the token of ada', 'one'))
    const all = [
      sessionOf(undefined),
      sessionOf(undefined, 'one'),
      sessionOf('the token of ada'),
      sessionOf('the token of ada', 'one'),
      sessionOf('the token of ada', 'two'),
    ]
    expect(new Set(all).size).toBe(5)
  })
})

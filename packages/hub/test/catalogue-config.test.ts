import { describe, expect, it } from 'vitest'
import { type ViewSources, withView } from '../src/catalogue-config.js'
import { type ConfigError, parseHubConfig } from '../src/config.js'
import type { Identity } from '../src/port.js'

const environment = { CALLBOARD_RUNTIME: '/r', CALLBOARD_DATA: '/d' }
const parse = (file: object): ViewSources => parseHubConfig({ environment, file })
const ada: Identity = { session: 's', principal: 'agent:ada', roles: ['agent'] }
const operator: Identity = { session: 's', principal: 'operator:local', roles: ['agent', 'operator'] }

function problems(file: object): readonly string[] {
  try {
    parse(file)
    return []
  } catch (error) {
    return (error as ConfigError).problems.map((problem) => problem.replace('callboard.config.json: ', ''))
  }
}

describe('what an agent gets into its context', () => {
  it('is everything, when nobody says otherwise', () => {
    expect(withView(ada, parse({}))).toBe(ada)
    expect(withView(ada, parse({ catalogue: { mode: 'all', pinned: ['x'] } }))).toBe(ada)
  })

  it('is what the configuration says for all', () => {
    const tools = { only: ['forum:*'], except: ['*_delete'] }
    const catalogue = { tools, mode: 'auto', searchAboveTokens: 5_000, pinned: ['forum_read'] }
    expect(withView(ada, parse({ catalogue })).view).toEqual({
      filters: [tools],
      mode: 'auto',
      searchAboveTokens: 5_000,
      pinned: ['forum_read'],
    })
  })

  it('is for each setting what is closest: its own, then its role, then what holds for all', () => {
    const config = parse({
      catalogue: {
        mode: 'auto',
        tools: { only: ['a'] },
        pinned: ['p'],
        roles: { agent: { pinned: ['q'] }, operator: { mode: 'search', tools: { only: ['*'] } } },
      },
      agents: { ada: { catalogue: { tools: { only: ['b'] } } }, bob: {} },
    })
    expect(withView(ada, config).view).toMatchObject({ mode: 'auto', filters: [{ only: ['b'] }], pinned: ['q'] })
    expect(withView({ ...ada, principal: 'agent:bob' }, config).view).toMatchObject({ filters: [{ only: ['a'] }] })
    expect(withView(operator, config).view).toMatchObject({ mode: 'search', filters: [{ only: ['*'] }], pinned: ['q'] })
  })

  it('is nothing of an agent that has the name of something else', () => {
    const config = parse({ agents: { ada: { catalogue: { mode: 'search' } } } })
    expect(withView({ ...ada, principal: 'operator:ada' }, config).view).toBeUndefined()
    expect(withView({ ...ada, principal: 'agent:constructor' }, config).view).toBeUndefined()
  })

  it("is narrowed by its client, beside the configuration's filter", () => {
    const config = parse({ catalogue: { tools: { except: ['b'] } } })
    const { view } = withView(ada, config, { only: ['b', 'c'], mode: 'search' })
    expect(view).toMatchObject({ mode: 'search', filters: [{ except: ['b'] }, { only: ['b', 'c'] }] })
  })
})

describe('the configuration', () => {
  it('names every problem', () => {
    const file = {
      catalogue: {
        tools: { only: 'forum', exept: ['x'] },
        mode: 'often',
        searchAboveTokens: 0.5,
        pinned: ['a b'],
        roles: { king: {}, agent: { mode: 1 }, operator: 5 },
      },
      agents: { ada: { catalogue: { tools: { only: Array(101).fill('x') }, tolls: 1 } }, bob: { catalogue: [] } },
    }
    expect(problems(file)).toEqual([
      'catalogue.mode: must be all, auto or search.',
      'catalogue.searchAboveTokens: must be a whole number.',
      'catalogue.pinned: "a b" is no pattern: a pattern is a tool name or service:name, with * for any characters, like "forum:*".',
      'catalogue.tools: unknown key exept (did you mean except?).',
      'catalogue.tools.only: must be a list, like ["forum:*"].',
      'catalogue.roles: unknown key king.',
      'catalogue.roles.operator: must be an object, like {"mode": "all"}.',
      'catalogue.roles.agent.mode: must be all, auto or search.',
      'agents.ada.catalogue: unknown key tolls (did you mean tools?).',
      'agents.ada.catalogue.tools.only: must have at most 100 patterns.',
      'agents.bob.catalogue: must be an object, like {"mode": "search"}.',
    ])
  })
})

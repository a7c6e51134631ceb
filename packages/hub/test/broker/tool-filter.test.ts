import { describe, expect, it } from 'vitest'
import { isPattern, ToolFilters } from '../../src/broker/tool-filter.js'
import { scenario, tool, tools } from './scenario.js'

const post = { service: 'forum', key: 'forum_post', workerKey: 'post' }

describe('a pattern', () => {
  it.each([
    ['forum_post', true],
    ['post', true],
    ['pos', false],
    ['*', true],
    ['forum_*', true],
    ['*_post', true],
    ['f*m_p*t', true],
    ['forum_post*', true],
    ['forum_p*post', false],
    ['*post*post*', false],
    ['forum:*', true],
    ['forum:post', true],
    ['f*:forum_post', true],
    ['other:*', false],
    ['forum:other', false],
    ['*:p*t', true],
    ['FORUM_POST', false],
  ])('%s', (pattern, fits) => {
    expect(isPattern(pattern)).toBe(true)
    expect(new ToolFilters([{ only: [pattern] }]).lets(post)).toBe(fits)
    expect(new ToolFilters([{ except: [pattern] }]).lets(post)).toBe(!fits)
  })

  it.each([[''], ['forum:'], [':post'], ['a:b:c'], ['a b'], ['a,b'], ['ä'], ['x'.repeat(129)]])(
    '%j is none',
    (text) => {
      expect(isPattern(text)).toBe(false)
    },
  )

  it('of many stars against a name made for it takes no time to speak of', () => {
    const pattern = `${'*a'.repeat(60)}b`
    expect(new ToolFilters([{ only: [pattern] }]).lets({ ...post, key: 'a'.repeat(128) })).toBe(false)
  })
})

describe('filters', () => {
  it('take from what `only` lets pass what `except` names', () => {
    const filters = new ToolFilters([{ only: ['forum:*'], except: ['*_delete'] }])
    const names = ['post', 'thread_delete'].map((key) => filters.lets({ service: 'forum', key, workerKey: key }))
    expect(names).toEqual([true, false])
  })

  it('hold together: a second one can only narrow the first', () => {
    expect(new ToolFilters([{ except: ['post'] }, { only: ['post'] }]).lets(post)).toBe(false)
  })

  it('that name nothing leave nothing', () => {
    expect(new ToolFilters([{ only: [] }]).lets(post)).toBe(false)
  })
})

describe('an agent with a filter', () => {
  const seeing = (...only: string[]) => ({
    view: { filters: [{ only }], mode: 'all' as const, searchAboveTokens: 0, pinned: [] },
  })

  it('finds the others neither in its list nor by calling: hidden, not denied', () => {
    const hub = scenario()
    hub.worker('forum', { definitions: tools('post', 'thread_delete') })
    const worker = hub.worker('desk')
    const agent = hub.agent('narrow', seeing('forum:p*', 'greet'))
    expect(agent.tools).toEqual(['greet', 'post'])
    expect(agent.call('thread_delete').outcome).toBe('unknown')
    agent.call('greet')
    expect(worker.received).toEqual(['request'])
  })

  it('keeps its prompts and resources', () => {
    const hub = scenario()
    hub.worker('forum', { definitions: { prompts: [{ name: 'ask' }] } })
    const { identity } = hub.agent('narrow', seeing('nothing'))
    expect(hub.broker.list('prompt', identity, 'session')).toHaveLength(1)
  })

  it('hears of changes to what it sees, and of no others', () => {
    const hub = scenario()
    const [narrow, wide] = [hub.agent('narrow', seeing('desk:*')), hub.agent('wide')]
    hub.worker('forum', { definitions: tools('post') })
    hub.advance(10)
    expect([narrow.heard, wide.heard]).toEqual([[], ['tools changed']])
    hub.worker('desk', { definitions: tools('greet') })
    hub.advance(10)
    expect(narrow.heard).toEqual(['tools changed'])
  })

  it('sees no more than its roles do, whatever the pattern says', () => {
    const hub = scenario()
    hub.worker('desk', { definitions: tools(tool('approve', { _meta: { 'callboard/roles': ['operator'] } })) })
    expect(hub.agent('narrow', seeing('*')).tools).toEqual([])
  })

  it('shares its list with all that filter alike', () => {
    const hub = scenario()
    hub.worker('forum', { definitions: tools('post', 'read') })
    const [one, other] = [hub.agent('one', seeing('p*')), hub.agent('other', seeing('p*'))]
    const list = hub.broker.list('tool', one.identity, 'session')
    expect(hub.broker.list('tool', other.identity, 'session')).toBe(list)
  })

  it('costs the hub nothing lasting: of lists that differ only the newest 256 are kept', () => {
    const hub = scenario()
    hub.worker('forum', { definitions: tools('post') })
    const first = hub.agent('first', seeing('p0*'))
    const list = hub.broker.list('tool', first.identity, 'session')
    for (let index = 1; index <= 256; index++) {
      const { identity } = hub.agent('another', seeing(`p${index}*`))
      hub.broker.list('tool', identity, 'session')
    }
    expect(hub.broker.list('tool', first.identity, 'session')).not.toBe(list)
  })

  it('does not bind a worker that acts for it', () => {
    const hub = scenario()
    const desk = hub.worker('desk')
    const forum = hub.worker('forum', { definitions: tools('post') })
    hub.agent('narrow', seeing('greet')).call('greet')
    const { id } = desk.request()
    desk.call('post', { parent: id })
    expect(forum.request().name).toBe('post')
  })
})

import { describe, expect, it } from 'vitest'
import { parseQdaConfig, QdaConfigError, qdaConfigKeys } from '../../src/config.js'
import { toolNames } from '../../src/tools/tool-names.js'

function problemsOf(section: unknown, home?: string): readonly string[] {
  try {
    parseQdaConfig(section, home)
    return []
  } catch (error) {
    if (!(error instanceof QdaConfigError)) throw error
    return error.problems
  }
}

describe('the section qda', () => {
  it.each([undefined, null, {}])('has defaults: %j', (section) => {
    expect(parseQdaConfig(section)).toEqual({
      roots: [],
      approval: 'confirm',
      levels: new Map(),
      requirePreviewToken: false,
      backups: 10,
      regexTimeoutMs: 2_000,
    })
  })

  it('says where projects may be, how far agents are trusted, and how much is kept', () => {
    const config = parseQdaConfig(
      {
        roots: ['/srv/projects/', '~', '~/Research/../QualCoder', '/srv/./projects'],
        approval: 'human',
        levels: { remove_source: 'T4', set_memo: 'T3', export_qdpx: 'off' },
        require_preview_token: true,
        backups: 3,
        regex_timeout_ms: 500,
      },
      '/home/ada',
    )
    expect(config).toEqual({
      roots: ['/srv/projects', '/home/ada', '/home/ada/QualCoder'],
      approval: 'human',
      levels: new Map([
        ['remove_source', 'T4'],
        ['set_memo', 'T3'],
        ['export_qdpx', 'off'],
      ]),
      requirePreviewToken: true,
      backups: 3,
      regexTimeoutMs: 500,
    })
    expect(Object.isFrozen(config) && Object.isFrozen(config.roots)).toBe(true)
  })

  it('all its mistakes are told at once', () => {
    const section = {
      root: ['/srv'],
      roots: ['projects', 7, '~ada', '/a\0', '~/x'],
      approval: 'ask',
      levels: { remove_sources: 'T4', 'set-memo': 'T2', frobnicate: 'T1', delete_code: 'T5' },
      require_preview_token: 'yes',
      backups: 0,
      regex_timeout_ms: 99,
    }
    expect([...problemsOf(section)].sort()).toEqual(
      [
        'qda.root: there is no such key (did you mean roots?)',
        'qda.roots[0]: must be an absolute path, or begin with ~/',
        'qda.roots[1]: must be text',
        'qda.roots[2]: must be an absolute path, or begin with ~/',
        'qda.roots[3]: must not have a NUL in it',
        'qda.roots[4]: ~ is nowhere: HOME is not set',
        'qda.approval: must be one of confirm, human',
        'qda.levels.remove_sources: there is no such tool (did you mean remove_source?)',
        'qda.levels.set-memo: there is no such tool (did you mean set_memo?)',
        'qda.levels.frobnicate: there is no such tool',
        'qda.levels.delete_code: must be one of T1, T2, T3, T4, off',
        'qda.require_preview_token: must be true or false',
        'qda.backups: must be at least 1',
        'qda.regex_timeout_ms: must be at least 100',
      ].sort(),
    )
  })

  it.each([
    [[], 'qda: must be an object'],
    ['x', 'qda: must be an object'],
    [{ levels: [] }, 'qda.levels: must be an object'],
    [
      { levels: { open_project: 'T4' } },
      'qda.levels.open_project: can only be off: it writes nothing that could wait for somebody',
    ],
    [{ roots: '/srv' }, 'qda.roots: must be a list'],
    [{ roots: Array.from({ length: 101 }, (_, n) => `/p${n}`) }, 'qda.roots: must have at most 100 entries'],
    [{ backups: 1_001 }, 'qda.backups: must be at most 1000'],
    [{ backups: 1.5 }, 'qda.backups: must be a whole number'],
    [{ regex_timeout_ms: 60_001 }, 'qda.regex_timeout_ms: must be at most 60000'],
    [{ ['k'.repeat(10_000)]: 1 }, `qda.${'k'.repeat(60)}…: there is no such key`],
    [JSON.parse('{"levels": {"__proto__": "T1"}}'), 'qda.levels.__proto__: there is no such tool'],
    [{ levels: { toString: 'T1' } }, 'qda.levels.toString: there is no such tool'],
  ])('%j is refused', (section, problem) => {
    expect(problemsOf(section)).toEqual([problem])
  })

  it('names every key, and every tool under levels, for who has them as text', () => {
    const paths = qdaConfigKeys.map(({ path }) => path)
    expect(paths.slice(0, 3)).toEqual(['roots', 'approval', 'levels'])
    expect(paths).toEqual(expect.arrayContaining(['regex_timeout_ms', 'levels.remove_source']))
    expect(paths).toHaveLength(6 + toolNames.length)
  })
})

it('no tool is named twice', () => {
  expect(new Set(toolNames).size).toBe(toolNames.length)
})

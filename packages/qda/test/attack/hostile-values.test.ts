import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openCodedProject, operator } from '../support/coded-project.js'
import { hostileArguments } from './support/hostile-values.js'
import { projectState } from './support/project-state.js'

/** They open another project, or leave this one. */
const elsewhere = ['close_project', 'create_project', 'open_project']

describe('arguments of every type and size', () => {
  it('are answered in the worker’s own shape by every tool, and what is refused changes nothing', async () => {
    await using project = await openCodedProject(['Ada: one\nBob: \u{1F600} two\nAda: three\nBob: four', 'aaaa'])
    const { qda, path } = project
    await qda.call('open_project', { path }, { session: 'other' })
    const caller = { ...operator, session: 'session-1' }
    const tools = qda.link.toolsOf('session-1', ['agent', 'operator'])
    expect(tools.length).toBeGreaterThan(45)
    let before = projectState(path)
    for (const { name, inputSchema } of tools) {
      const property = fc.asyncProperty(hostileArguments(inputSchema as object), async (given) => {
        if (name === 'create_project' || name.startsWith('export_')) given['dry_run'] = true
        const answer = await qda.call(name, given, caller)
        expect(typeof answer?.['success']).toBe('boolean')
        if (elsewhere.includes(name)) await qda.call('open_project', { path }, caller)
        if (answer['success'] === true) {
          before = projectState(path)
          return
        }
        expect([typeof answer['error'], typeof answer['error_code']]).toEqual(['string', 'string'])
        expect([name, answer['error_code']]).not.toEqual([name, 'INTERNAL'])
        expect(answer['error'].length).toBeLessThan(5_000)
        expect(projectState(path)).toEqual(before)
      })
      await fc.assert(property, { numRuns: 25, seed: 7 })
    }
    expect(await qda.call('list_sources', {}, { session: 'other' })).toMatchObject({ success: true })
    expect(qda.link.internalErrors).toEqual([])
  }, 120_000)
})

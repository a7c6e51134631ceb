import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestAgent } from '../../../hub/test/mcp/agents.js'
import { type Loose, QdaInstallation } from './support/qda-installation.js'

let end: () => Promise<void>
let qda: QdaInstallation
beforeAll(async () => {
  qda = new QdaInstallation({}, (clean) => {
    end = clean
  })
  await qda.start()
})
afterAll(() => end())

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  let agent: TestAgent
  let path: string
  beforeAll(async () => {
    agent = await qda.agent(era, await qda.tokenOf(era))
    path = join(qda.directory, `${era}.qda`)
  })
  afterAll(() => agent.close())

  /** With the SDK's own check of the answer by the announced schema, once the tools have been listed. */
  async function call(name: string, args: object = {}): Promise<Loose> {
    const { structuredContent, content, isError = false } = await agent.callTool(name, args)
    expect(JSON.parse(content[0].text)).toEqual(structuredContent)
    expect(structuredContent.success).toBe(!isError)
    return structuredContent
  }

  it('works with a project from its first call to its last', async () => {
    const { tools } = await agent.client.listTools()
    expect(tools.length).toBeGreaterThanOrEqual(25)
    expect(await call('list_codes')).toMatchObject({ error: 'No project open', error_code: 'NO_PROJECT' })
    expect((await call('create_project', { path })).data).toMatchObject({ project_name: era, source_count: 0 })
    expect(await call('add_text_source', { name: 'a', content: 'Hope 👋🏽 remains.' })).toMatchObject({ source_id: 1 })
    expect(await call('create_code', { name: 'Hope' })).toMatchObject({ code_id: 1, created: true })
    const operations = [
      { code_id: 1, source_id: 1, start_position: 8, end_position: 15 },
      { code_id: 1, source_id: 1, start_position: 0, end_position: 99 },
    ]
    expect((await call('batch_apply_codes', { operations })).data).toMatchObject({ succeeded: 1, failed: 1 })
    expect((await call('list_segments_for_source', { source_id: 1 })).data).toMatchObject([
      { selected_text: 'remains', owner: `AI Agent (${era})`, verified: 'exact' },
    ])
    expect(await call('remove_source', { source_id: 1 })).toMatchObject({ preview: true, coded_segments_count: 1 })
    expect(await call('remove_source', { source_id: 1, confirm: true })).toMatchObject({ segments_removed: 1 })
    expect(await call('remove_source', { source_id: 1 })).toMatchObject({ error_code: 'SOURCE_NOT_FOUND' })
    expect(await call('close_project')).toMatchObject({ closed: true, project_name: era })
    expect(await call('close_project')).toMatchObject({ closed: false, message: 'No project was open' })
  })

  it('gets an argument that is missing as a result of the tool', async () => {
    expect(await call('create_folder')).toMatchObject({ error: 'Missing required parameter: name' })
    expect(await call('create_folder', { name: null })).toMatchObject({ error_code: 'MISSING_PARAMETER' })
  })

  it('cannot decide on what waits for a person', async () => {
    const refused = await agent
      .request('tools/call', { name: 'approve_suggestion', arguments: { id: 'x' } })
      .catch((error: Loose) => error)
    expect(refused.message).toContain('Unknown tool: approve_suggestion')
  })
})

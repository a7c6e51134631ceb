import type { ToolError } from '@callboard/worker'
import { expect, it } from 'vitest'
import { checkToolCall } from '../../src/tasks/check-tool-call.js'
import { daily, openDesk } from '../support/task-desk.js'

const search = {
  name: 'web_search',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' } },
    required: ['query'],
    additionalProperties: false,
  },
} as const

async function refusalOf(tool: string, args: { readonly [key: string]: unknown }): Promise<string> {
  try {
    await checkToolCall(tool, args, { tools: async () => [search] })
    return 'accepted'
  } catch (error) {
    return (error as ToolError).code
  }
}

it('takes a tool that the caller sees, with the arguments that it asks for', async () => {
  expect(await refusalOf('web_search', { query: 'x' })).toBe('accepted')
})

it('does not find what the caller does not see', async () => {
  expect(await refusalOf('requeue_message', {})).toBe('NOT_FOUND')
})

it('refuses missing and unknown arguments', async () => {
  expect(await refusalOf('web_search', {})).toBe('INVALID_ARGUMENT')
  expect(await refusalOf('web_search', { query: 'x', limit: 3 })).toBe('INVALID_ARGUMENT')
})

it.each(['schedule_task', 'set_task', 'pause_task', 'resume_task', 'cancel_task'])('never calls %s', async (tool) => {
  expect(await refusalOf(tool, {})).toBe('INVALID_ARGUMENT')
})

it('stores a task that calls a tool with its arguments, {} by default, and none that calls an unknown one', async () => {
  await using desk = await openDesk()
  desk.hubTools = [search, { name: 'get_system_status', inputSchema: { type: 'object' } }]
  const searching = await desk.call('schedule_task', { ...daily, tool: 'web_search', args: { query: 'é"\\u0000' } })
  const asking = await desk.call('schedule_task', { ...daily, tool: 'get_system_status' })
  expect(JSON.parse((await desk.row(searching.task_id)).args!)).toEqual({ query: 'é"\\u0000' })
  expect(await desk.row(asking.task_id)).toMatchObject({ tool: 'get_system_status', args: '{}' })
  expect(await desk.refused('schedule_task', { ...daily, tool: 'nothing' })).toMatchObject({ code: 'NOT_FOUND' })
  expect((await desk.call('list_tasks')).total).toBe(2)
})

import { setTimeout as elapsed } from 'node:timers/promises'
import { result, type Worker } from '@callboard/worker'
import { z } from 'zod'
import { png, wav } from './fixture-media.js'

/** Tools that answer by themselves. */
export function offerTools(worker: Worker): void {
  offerContent(worker)
  offerConduct(worker)
  offerChanges(worker)
  offerSchemas(worker)
}

function plain(description: string) {
  return { description, input: z.object({}) }
}

function offerContent(worker: Worker): void {
  const image = { type: 'image', data: png, mimeType: 'image/png' } as const
  worker
    .tool('test_simple_text', plain('Answers with text'), () => 'This is a simple text response for testing.')
    .tool('test_image_content', plain('Answers with an image'), () => image)
    .tool('test_audio_content', plain('Answers with a sound'), () => ({
      type: 'audio',
      data: wav,
      mimeType: 'audio/wav',
    }))
    .tool('test_embedded_resource', plain('Answers with a resource'), () => ({
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    }))
    .tool('test_multiple_content_types', plain('Answers with content of several types'), () => [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ])
    .tool('test_error_handling', plain('Always fails'), () => {
      const text = 'This tool intentionally returns an error for testing'
      return result({ content: { type: 'text', text }, isError: true })
    })
}

/** The suite wants to see the messages arrive one after the other. */
const stepMs = 50

function offerConduct(worker: Worker): void {
  worker
    .tool('test_tool_with_logging', plain('Logs while it runs'), async (_, { log }) => {
      log('info', 'Tool execution started')
      await elapsed(stepMs)
      log('info', 'Tool processing data')
      await elapsed(stepMs)
      log('info', 'Tool execution completed')
      return 'Tool with logging executed successfully'
    })
    .tool('test_tool_with_progress', plain('Reports its progress'), async (_, { progress }) => {
      progress(0, 100)
      await elapsed(stepMs)
      progress(50, 100)
      await elapsed(stepMs)
      progress(100, 100)
      return 'Tool with progress executed successfully'
    })
    .tool('test_logging_tool', plain('Logs to whoever asked for it'), (_, { log }) => {
      log('info', 'A client that asked for no level must not see this')
      return 'Logged'
    })
}

/** The lists of a worker change while it runs. */
function offerChanges(worker: Worker): void {
  let serial = 0
  worker
    .tool('test_trigger_tool_change', plain('Offers one more tool'), () => {
      worker.remove('tool', `test_passing_tool_${serial}`)
      worker.tool(`test_passing_tool_${++serial}`, plain('Here until the next one comes'), () => 'Still here')
      return 'The list of tools has changed'
    })
    .tool('test_trigger_prompt_change', plain('Offers one more prompt'), () => {
      worker.remove('prompt', `test_passing_prompt_${serial}`)
      worker.prompt(`test_passing_prompt_${++serial}`, { description: 'Here until the next one comes' }, () => ({
        messages: [{ role: 'user', content: { type: 'text', text: 'Still here' } }],
      }))
      return 'The list of prompts has changed'
    })
}

function offerSchemas(worker: Worker): void {
  worker
    .tool(
      'json_schema_2020_12_tool',
      {
        description: 'Tool with JSON Schema 2020-12 features',
        input: z.looseObject({}),
        inputSchema: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          $defs: {
            address: {
              $anchor: 'addressDef',
              type: 'object',
              properties: { street: { type: 'string' }, city: { type: 'string' } },
            },
          },
          properties: {
            name: { type: 'string' },
            address: { $ref: '#/$defs/address' },
            contactMethod: { type: 'string', enum: ['phone', 'email'] },
            phone: { type: 'string' },
            email: { type: 'string' },
          },
          if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { required: ['phone'] },
          else: { required: ['email'] },
          allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
          additionalProperties: false,
        },
      },
      (input) => JSON.stringify(input),
    )
    .tool(
      'test_custom_header',
      {
        description: 'Has a parameter that modern clients also send as a header',
        input: z.object({ region: z.string() }),
        inputSchema: {
          type: 'object',
          properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
          required: ['region'],
        },
      },
      ({ region }) => region,
    )
}

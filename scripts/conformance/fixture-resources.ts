import { ToolError, type Worker } from '@callboard/worker'
import { png } from './fixture-media.js'

export function offerResources(worker: Worker): void {
  worker
    .resource(
      'test://static-text',
      { name: 'static-text', description: 'A static text resource', mimeType: 'text/plain' },
      (uri) => [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    )
    .resource(
      'test://static-binary',
      { name: 'static-binary', description: 'A static binary resource', mimeType: 'image/png' },
      (uri) => [{ uri, mimeType: 'image/png', blob: png }],
    )
    .resource(
      'test://watched-resource',
      { name: 'watched-resource', description: 'A resource to subscribe to', mimeType: 'text/plain' },
      (uri) => [{ uri, mimeType: 'text/plain', text: 'Watched resource content' }],
    )
    .resourceTemplate(
      'test://template/{id}/data',
      { name: 'template', description: 'A resource with a parameter', mimeType: 'application/json' },
      (uri, { id }) => [
        {
          uri,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    )
}

export function offerPrompts(worker: Worker): void {
  const user = (text: string) => ({ role: 'user', content: { type: 'text', text } }) as const
  worker
    .prompt('test_simple_prompt', { description: 'A prompt without arguments' }, () => ({
      messages: [user('This is a simple prompt for testing.')],
    }))
    .prompt(
      'test_prompt_with_arguments',
      {
        description: 'A prompt with arguments',
        arguments: [
          { name: 'arg1', description: 'First test argument', required: true },
          { name: 'arg2', description: 'Second test argument', required: true },
        ],
        complete: ({ value }) => ['paris', 'park', 'party'].filter((word) => word.startsWith(value)),
      },
      ({ arg1, arg2 }) => ({ messages: [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
    )
    .prompt(
      'test_prompt_with_embedded_resource',
      {
        description: 'A prompt that embeds a resource',
        arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
      },
      ({ resourceUri }) => {
        if (resourceUri === undefined) throw new ToolError('invalid_argument', 'resourceUri: required')
        const text = 'Embedded resource content for testing.'
        const resource = { uri: resourceUri, mimeType: 'text/plain', text }
        return {
          messages: [
            { role: 'user', content: { type: 'resource', resource } },
            user('Please process the embedded resource above.'),
          ],
        }
      },
    )
    .prompt('test_prompt_with_image', { description: 'A prompt with an image' }, () => ({
      messages: [
        { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
        user('Please analyze the image above.'),
      ],
    }))
}

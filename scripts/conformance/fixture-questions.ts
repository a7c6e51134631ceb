import type { Context, ElicitResult, SampleRequest, Worker } from '@callboard/worker'
import { z } from 'zod'

const nothing = z.object({})

/** Tools and a prompt that ask the client, in the way of either generation: a handler does not know which. */
export function offerQuestions(worker: Worker): void {
  offerSingleQuestions(worker)
  offerForms(worker)
  offerConversations(worker)
}

function form(properties: { readonly [name: string]: object }, required: readonly string[] = Object.keys(properties)) {
  return { type: 'object', properties, required }
}

const nameForm = { message: 'What is your name?', requestedSchema: form({ name: { type: 'string' } }) }
const okForm = { message: 'Please confirm', requestedSchema: form({ ok: { type: 'boolean' } }) }

function prompting(text: string, maxTokens = 100): SampleRequest {
  return { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens }
}

function told({ action, content }: ElicitResult): string {
  return `action=${action}, content=${JSON.stringify(content ?? {})}`
}

function offerSingleQuestions(worker: Worker): void {
  worker
    .tool(
      'test_sampling',
      { description: 'Asks the model of the client', input: z.object({ prompt: z.string() }) },
      async ({ prompt }, { sample }) => {
        const { content } = (await sample(prompting(prompt))) as { readonly content?: { readonly text?: string } }
        return `LLM response: ${content?.text}`
      },
    )
    .tool(
      'test_elicitation',
      { description: 'Asks the person', input: z.object({ message: z.string() }) },
      async ({ message }, { elicit }) => {
        const requestedSchema = form({
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        })
        return `User response: ${told(await elicit({ message, requestedSchema }))}`
      },
    )
    .tool(
      'test_input_required_result_elicitation',
      { description: 'Asks for a name', input: nothing },
      async (_, { elicit }) => {
        const { content } = await elicit(nameForm, { key: 'user_name' })
        return `Hello, ${content?.['name']}!`
      },
    )
    .tool(
      'test_input_required_result_sampling',
      { description: 'Asks the model for a capital', input: nothing },
      async (_, { sample }) =>
        JSON.stringify(await sample(prompting('What is the capital of France?'), { key: 'capital_question' })),
    )
    .tool(
      'test_input_required_result_list_roots',
      { description: 'Asks for the roots', input: nothing },
      async (_, { roots }) => JSON.stringify(await roots({ key: 'client_roots' })),
    )
    .tool('test_missing_capability', { description: 'Needs a client that samples', input: nothing }, (_, { sample }) =>
      sample(prompting('Anything')),
    )
    .tool('test_streaming_elicitation', { description: 'Asks the person', input: nothing }, confirmed)
    .tool('test_input_required_result_tampered_state', { description: 'Asks the person', input: nothing }, confirmed)
    .tool('test_input_required_result_request_state', { description: 'Asks the person', input: nothing }, confirmed)
}

async function confirmed(_: object, { elicit }: Context): Promise<string> {
  return `state-ok: ${told(await elicit(okForm, { key: 'confirm' }))}`
}

function offerForms(worker: Worker): void {
  const choice = (value: string, title: string) => ({ const: value, title })
  const completed = async ({ elicit }: Context, properties: { readonly [name: string]: object }) =>
    `Elicitation completed: ${told(await elicit({ message: 'Please fill this in', requestedSchema: form(properties, []) }))}`
  worker
    .tool(
      'test_elicitation_sep1034_defaults',
      { description: 'Asks with a default for each field', input: nothing },
      (_, context) =>
        completed(context, {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        }),
    )
    .tool(
      'test_elicitation_sep1330_enums',
      { description: 'Asks with each kind of choice', input: nothing },
      (_, context) =>
        completed(context, {
          untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          titledSingle: {
            type: 'string',
            oneOf: [
              choice('value1', 'First Option'),
              choice('value2', 'Second Option'),
              choice('value3', 'Third Option'),
            ],
          },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
          titledMulti: {
            type: 'array',
            items: {
              anyOf: [
                choice('value1', 'First Choice'),
                choice('value2', 'Second Choice'),
                choice('value3', 'Third Choice'),
              ],
            },
          },
        }),
    )
}

function offerConversations(worker: Worker): void {
  worker
    .tool(
      'test_input_required_result_multiple_inputs',
      { description: 'Asks three things at once', input: nothing },
      async (_, { elicit, sample, roots }) =>
        JSON.stringify(
          await Promise.all([
            elicit(nameForm, { key: 'user_name' }),
            sample(prompting('Generate a greeting', 50), { key: 'greeting' }),
            roots({ key: 'client_roots' }),
          ]),
        ),
    )
    .tool(
      'test_input_required_result_multi_round',
      { description: 'Asks one thing after the other', input: nothing },
      async (_, { elicit }) => {
        const first = await elicit({ ...nameForm, message: 'Step 1: What is your name?' }, { key: 'step1' })
        const requestedSchema = form({ color: { type: 'string' } })
        const second = await elicit(
          { message: 'Step 2: What is your favorite color?', requestedSchema },
          { key: 'step2' },
        )
        return `${told(first)}; ${told(second)}`
      },
    )
    .tool(
      'test_input_required_result_capabilities',
      { description: 'Asks whatever the client can be asked', input: nothing },
      async (_, { client, elicit, sample }) => {
        const asked: Promise<unknown>[] = []
        if (client.input.includes('form')) asked.push(elicit(nameForm))
        if (client.input.includes('sampling')) asked.push(sample(prompting('Generate a greeting', 50)))
        return JSON.stringify(await Promise.all(asked))
      },
    )
    .prompt(
      'test_input_required_result_prompt',
      { description: 'A prompt that asks for its context' },
      async (_, { elicit }) => {
        const requestedSchema = form({ context: { type: 'string' } })
        const { content } = await elicit(
          { message: 'What context should the prompt use?', requestedSchema },
          { key: 'user_context' },
        )
        const text = `In the context of ${content?.['context']}`
        return { messages: [{ role: 'user', content: { type: 'text', text } }] }
      },
    )
}

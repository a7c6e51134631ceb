import { afterEach, describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { type Context, defineWorker, type FormResult, type SampleResult } from '../src/index.js'
import { connectForTest, type TestCallOptions, type TestLink, textOf } from '../src/testing/index.js'

let open: TestLink | undefined

afterEach(async () => {
  await open?.close()
  open = undefined
})

/** What a tool makes of one answer of the client; `asked` is what the client was asked. */
async function asking(act: (context: Context) => unknown, options: Omit<TestCallOptions, 'answers'>, answer?: unknown) {
  const asked: unknown[] = []
  const worker = defineWorker({ service: 'asker', version: '1.0.0' })
  worker.tool('act', { description: 'Asks', input: z.object({}) }, (_, context) => act(context))
  open = await connectForTest(worker)
  const answers = (question: unknown) => {
    asked.push(question)
    return answer
  }
  const result = await open.callTool('act', {}, { ...options, ...(answer === undefined ? {} : { answers }) })
  return { asked, result, value: result.structuredContent, error: result._meta?.['callboard/error'] }
}

const form = z.object({
  name: z.string().min(1).describe('Whom to greet'),
  times: z.coerce.number().int().default(1),
  tone: z.enum(['warm', 'dry']).optional(),
  days: z.array(z.enum(['mo', 'tu'])).optional(),
  sure: z.boolean(),
})
const askForm = ({ elicit }: Context) => elicit({ message: 'How?', form })

describe('a form of zod', () => {
  test('is asked as the flat JSON Schema that clients show', async () => {
    const { asked } = await asking(askForm, {}, { action: 'cancel' })
    expect(asked).toEqual([
      {
        method: 'elicitation/create',
        params: {
          message: 'How?',
          requestedSchema: {
            type: 'object',
            properties: {
              name: { type: 'string', minLength: 1, description: 'Whom to greet' },
              times: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991, default: 1 },
              tone: { type: 'string', enum: ['warm', 'dry'] },
              days: { type: 'array', items: { type: 'string', enum: ['mo', 'tu'] } },
              sure: { type: 'boolean' },
            },
            required: ['name', 'sure'],
          },
        },
      },
    ])
  })

  test('is answered with what it parses to', async () => {
    const { value } = await asking(askForm, {}, { action: 'accept', content: { name: 'Ada', times: '3', sure: true } })
    expect(value).toEqual({ action: 'accept', content: { name: 'Ada', times: 3, sure: true } })
    expectTypeOf<Awaited<ReturnType<typeof askForm>>>().toEqualTypeOf<FormResult<z.output<typeof form>>>()
  })

  test.each(['decline', 'cancel'])('that nobody fills in says so: %s', async (action) => {
    expect((await asking(askForm, {}, { action })).value).toEqual({ action })
  })

  test('that is filled in wrong is an error which names each field', async () => {
    const { error } = await asking(askForm, {}, { action: 'accept', content: { name: '', times: 1.5 } })
    expect(error).toMatchObject({ code: 'input_invalid' })
    expect((error as { message: string }).message).toMatch(/name: .*; times: .*; sure: required/)
  })

  test.each([
    ['an object', z.object({ inner: z.object({}) })],
    ['a list of anything', z.object({ inner: z.array(z.string()) })],
    ['one of several types', z.object({ inner: z.union([z.string(), z.number()]) })],
  ])('with %s in it is refused where it was written', async (_, nested) => {
    await asking(({ elicit }) => elicit({ message: '?', form: nested }), {}, { action: 'cancel' })
    expect(String(open?.internalErrors[0])).toMatch(/TypeError: form field inner: must be a text/)
  })

  test('is an error at once when the client has no forms', async () => {
    const { asked, error } = await asking(askForm, { client: { generation: 'legacy', input: ['url'] } })
    expect(asked).toEqual([])
    expect(error).toMatchObject({ code: 'input_unsupported' })
  })
})

describe('sampling', () => {
  const request = { messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], maxTokens: 5 } as const
  const sample = ({ sample }: Context): Promise<SampleResult> => sample(request)

  test.each([
    { role: 'assistant', content: { type: 'text', text: 'Because.' }, model: 'm', stopReason: 'endTurn' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Be' },
        { type: 'text', text: 'cause.' },
      ],
      model: 'm',
    },
  ])('is answered by a message', async (message) => {
    const { asked, value } = await asking(sample, {}, message)
    expect(asked).toEqual([{ method: 'sampling/createMessage', params: request }])
    expect(value).toEqual(message)
  })

  test.each([{}, { role: 'assistant' }, { role: 'assistant', content: 'text', model: 'm' }, []])(
    'by anything else is an error: %j',
    async (answer) => {
      expect((await asking(sample, {}, answer)).error).toMatchObject({ code: 'input_invalid' })
    },
  )
})

test.each([{}, { roots: 'x' }, { roots: [{ name: 'no uri' }] }])(
  'roots that are none are an error: %j',
  async (answer) => {
    const { error } = await asking(({ roots }) => roots(), {}, answer)
    expect(error).toMatchObject({ code: 'input_invalid' })
  },
)

test('a client that can do nothing hears of nothing', async () => {
  const { result } = await asking(async ({ elicit, sample, roots }) => {
    const codes = [
      elicit({ message: '?', url: 'https://example.org', elicitationId: 'e' }),
      sample({ messages: [], maxTokens: 1 }),
      roots(),
    ]
    return (await Promise.allSettled(codes)).map((each) => each.status === 'rejected' && each.reason.code).join(' ')
  }, {})
  expect(textOf(result)).toBe('input_unsupported input_unsupported input_unsupported')
})

// npm run interop: the Inspector's command line, a client that we did not write, asks a hub for one thing of each kind.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, promisify } from 'node:util'
import { command, HubProcess } from '../hub-process.js'

const inspector = fileURLToPath(new URL('../../interop/node_modules/.bin/mcp-inspector', import.meta.url))
const everything = fileURLToPath(new URL('../../../packages/cli/test/interop/everything-worker.mjs', import.meta.url))

type Named = readonly { readonly name: string }[]

/** What the methods below answer, each a part of it. */
interface Answer {
  readonly tools: Named
  readonly resources: Named
  readonly resourceTemplates: Named
  readonly prompts: Named
  readonly content: unknown
  readonly structuredContent: unknown
  readonly contents: unknown
  readonly messages: readonly unknown[]
}

interface Question {
  readonly words: readonly string[]
  /** What must be in the answer. */
  readonly find: (answer: Answer) => unknown
  readonly expected: unknown
}

const text = (value: string) => [{ type: 'text', text: value }]
const named = (list: Named, name: string) => list.some((entry) => entry.name === name)

const questions: readonly Question[] = [
  { words: ['tools/list'], find: ({ tools }) => named(tools, 'echo'), expected: true },
  {
    words: ['tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hello'],
    find: ({ content }) => content,
    expected: text('hello'),
  },
  {
    words: ['tools/call', '--tool-name', 'add', '--tool-arg', 'a=1', 'b=2'],
    find: ({ structuredContent }) => structuredContent,
    expected: { sum: 3 },
  },
  { words: ['resources/list'], find: ({ resources }) => named(resources, 'blob'), expected: true },
  {
    words: ['resources/templates/list'],
    find: ({ resourceTemplates }) => named(resourceTemplates, 'items'),
    expected: true,
  },
  {
    words: ['resources/read', '--uri', 'everything://items/7'],
    find: ({ contents }) => contents,
    expected: [{ uri: 'everything://items/7', text: 'item 7' }],
  },
  { words: ['prompts/list'], find: ({ prompts }) => named(prompts, 'greeting'), expected: true },
  {
    words: ['prompts/get', '--prompt-name', 'greeting', '--prompt-args', 'name=Ada'],
    find: ({ messages }) => messages[0],
    expected: { role: 'user', content: { type: 'text', text: 'Greet Ada' } },
  },
]

await using hub = await HubProcess.start()
await hub.worker(everything)
const shim = [
  ...Object.entries(hub.environment).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
  process.execPath,
  command,
  'stdio',
]
let failed = 0
for (const [way, target] of [
  ['HTTP', [hub.url, '--transport', 'http']],
  ['stdio', shim],
] as const) {
  for (const question of questions) {
    const problem = await problemOf(target, question)
    process.stdout.write(`${problem === undefined ? 'ok    ' : 'FAILED'} ${way}: ${question.words.join(' ')}\n`)
    if (problem === undefined) continue
    failed += 1
    process.stdout.write(`       ${problem}\n`)
  }
}
process.stdout.write(`interop: ${2 * questions.length - failed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

async function problemOf(target: readonly string[], { words, find, expected }: Question): Promise<string | undefined> {
  try {
    const args = ['--cli', ...target, '--method', ...words]
    // It keeps files of its own in the home directory.
    const env = { ...hub.environment, NODE_NO_WARNINGS: '1' }
    const { stdout } = await promisify(execFile)(inspector, args, { env, timeout: 30_000, maxBuffer: 64 * 1024 * 1024 })
    const found = find(JSON.parse(stdout))
    return isDeepStrictEqual(found, expected) ? undefined : `found ${JSON.stringify(found)}`
  } catch (error) {
    return `${error}`
  }
}

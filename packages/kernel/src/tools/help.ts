import { didYouMean } from '@callboard/worker'
import { z } from 'zod'
import type { KernelConfig } from '../config.js'
import { recentHistoryMax, streamBytesMax } from '../limits.js'
import { examples } from './examples.js'

/** A tool as it is registered: help says nothing that is not taken from here or from the configuration. */
export interface RegisteredTool {
  readonly name: string
  readonly spec: { readonly description: string; readonly input: z.ZodObject; readonly output?: z.ZodType }
}

interface HelpSource {
  readonly tools: readonly RegisteredTool[]
  readonly config: KernelConfig
}

const topics = {
  overview: { summary: 'tools, topics and limits', write: overview },
  api: { summary: 'every tool with its fields, and how code runs', write: api },
  session: { summary: 'what a session keeps', write: session },
  scheduler: { summary: 'beats and rules: what there is', write: scheduler },
  examples: { summary: 'common patterns', write: exampleText },
} as const satisfies { [topic: string]: { readonly summary: string; readonly write: (source: HelpSource) => string } }

/** The text of a topic or tool; undefined if there is none of that name. */
export function helpText(topic: string, source: HelpSource): string | undefined {
  const name = topic.trim().toLowerCase()
  if (Object.hasOwn(topics, name)) return topics[name as keyof typeof topics].write(source)
  const tool = source.tools.find((candidate) => candidate.name === name)
  return tool ? describeTool(tool) : undefined
}

export function helpNames(tools: readonly RegisteredTool[]): readonly string[] {
  return [...Object.keys(topics), ...tools.map(({ name }) => name)]
}

/** For an unknown topic: names all and suggests the nearest. */
export function unknownTopic(topic: string, tools: readonly RegisteredTool[]): string {
  const hint = didYouMean(topic, helpNames(tools))
  return `There is no help on "${topic}"${hint}. Topics: ${Object.keys(topics).join(', ')}; tools: ${tools.map(({ name }) => name).join(', ')}.`
}

function overview({ tools, config }: HelpSource): string {
  const mebibytes = config.limits.memoryBytes / (1024 * 1024)
  return [
    'vibeweaver: a Python process of your own that keeps its names from call to call.',
    section(
      'Tools',
      tools.map(({ name, spec }) => `${name}: ${spec.description}`),
    ),
    section(
      'Topics of weave_help',
      Object.entries(topics).map(([name, { summary }]) => `${name}: ${summary}`),
    ),
    section('Limits in force', [
      `one run at a time, ${config.maxQueuedRuns} more may wait`,
      `a run is interrupted after ${config.defaultTimeoutMs / 1000} s unless timeout_s says otherwise`,
      `${streamBytesMax / 1024} KiB of stdout and of stderr per reply, beginning and end; the number of bytes left out is given`,
      `${mebibytes} MiB of address space per kernel, then MemoryError; ${config.limits.openFiles} open files`,
      `${config.maxKernels} kernels per worker; one that is idle for ${config.idleMs / 60_000} minutes is ended`,
    ]),
  ].join('\n\n')
}

function api({ tools }: HelpSource): string {
  const rules = [
    'Code is parsed once and run once. A last expression gives result; None gives null.',
    'Names live in a real __main__; _ is the last value. A new process (epoch + 1) starts empty.',
    'stdout and stderr hold what was written to the descriptors: prints, C code and programs alike.',
    'Top-level await runs on an event loop that goes on between calls. asyncio.run works in cells that do not await.',
    'stdin is empty: input() raises EOFError. sys.exit ends the run, not the kernel.',
    'One kernel per agent session; it ends with the session.',
  ]
  return [section('How code runs', rules), ...tools.map(describeTool)].join('\n\n')
}

function session({ tools }: HelpSource): string {
  const tool = tools.find(({ name }) => name === 'weave_session')
  const intro = [
    `A session keeps the history of what you ran (the newest ${recentHistoryMax} are shown) beyond the life of the Python process.`,
    'It is made, as "untitled", when you first run or ask for something. When an agent has gone, its owner’s next one takes its session over.',
    'Python names are not part of it. weave_reset with clear_session clears the history; id and name stay.',
  ]
  return [section('Session', intro), ...(tool ? [describeTool(tool)] : [])].join('\n\n')
}

function scheduler(): string {
  return section('Scheduler', [
    'This version has no clock and no rules: active_rules and markers are empty, transport_state is "stopped", current_beat 0 and tempo_bpm 120.',
    'There is no Python module for them either. To do something later, use an asyncio task (see the topic examples).',
  ])
}

function exampleText(): string {
  return examples
    .map(
      ({ title, code, expect }) =>
        `# ${title}\n${code}\n${Object.entries(expect)
          .map(([field, value]) => `#   ${field}: ${JSON.stringify(value)}`)
          .join('\n')}`,
    )
    .join('\n\n')
}

function describeTool({ name, spec }: RegisteredTool): string {
  const output = spec.output ? fieldsOf(spec.output, 'output') : ['text']
  return [
    `${name}: ${spec.description}`,
    section('  Input', fieldsOf(spec.input, 'input')),
    section('  Output', output),
  ].join('\n')
}

interface FieldSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly FieldSchema[]
  readonly description?: string
}

function fieldsOf(schema: z.ZodType, io: 'input' | 'output'): readonly string[] {
  const json = z.toJSONSchema(schema, { io }) as { properties?: { [name: string]: FieldSchema }; required?: string[] }
  return Object.entries(json.properties ?? {}).map(([name, field]) => {
    const optional = json.required?.includes(name) ? '' : ', optional'
    return `${name} (${typeOf(field)}${optional})${field.description ? `: ${field.description}` : ''}`
  })
}

function typeOf(field: FieldSchema): string {
  if (field.enum) return field.enum.join(' | ')
  if (field.anyOf) return field.anyOf.map(typeOf).join(' or ')
  return field.type ?? 'any'
}

function section(title: string, lines: readonly string[]): string {
  return [`${title}:`, ...lines.map((line) => `- ${line}`)].join('\n')
}

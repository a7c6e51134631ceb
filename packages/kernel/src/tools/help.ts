import { didYouMean } from '@callboard/worker'
import type { KernelConfig } from '../config.js'
import { recentHistoryMax, streamBytesMax } from '../limits.js'
import { describeEntry, describePython, findEntry, listPython } from './describe-python.js'
import { describeTool, type RegisteredTool, section } from './describe-tool.js'
import { type ExampleTopic, examples } from './examples.js'
import type { PythonApi } from './python-api.js'
import { schedulerText } from './scheduler-text.js'

export type { RegisteredTool } from './describe-tool.js'

/** All that help is made from: what is registered, configured and in force. */
export interface HelpSource {
  readonly tools: readonly RegisteredTool[]
  readonly config: KernelConfig
  /** Undefined where no Python can tell. */
  readonly python: PythonApi | undefined
  /** What is between code and the machine, in one sentence. */
  readonly isolation?: string | undefined
}

const topics = {
  overview: { summary: 'tools, topics and limits', write: overview },
  api: { summary: 'every tool with its fields, how code runs, every call of the Python module', write: api },
  session: { summary: 'what a session keeps, and how to name, load and share it', write: session },
  scheduler: { summary: 'the clock in beats, rules, triggers, actions, priorities, events', write: scheduler },
  examples: { summary: 'common patterns', write: () => exampleText() },
} as const satisfies { [topic: string]: { readonly summary: string; readonly write: (source: HelpSource) => string } }

const noPython =
  'The Python module vibeweaver cannot be listed: no Python (CPython 3.9 or newer) could be started here. Where one runs, import vibeweaver; help(vibeweaver).'

/** The text of a topic, a tool, or a name of the Python module; undefined if there is none of that name. */
export function helpText(topic: string, source: HelpSource): string | undefined {
  const name = topic.trim()
  const lower = name.toLowerCase()
  // Both a topic and a call: the topic explains more, and shows the call.
  if (Object.hasOwn(topics, lower)) return topics[lower as keyof typeof topics].write(source)
  const tool = source.tools.find((candidate) => candidate.name === lower)
  if (tool) return describeTool(tool)
  if (lower === 'vibeweaver') return source.python ? listPython(source.python) : noPython
  const entry = source.python && findEntry(source.python, name)
  return entry && describeEntry(entry)
}

/** For an unknown topic: names all and suggests the nearest. */
export function unknownTopic(topic: string, { tools, python }: HelpSource): string {
  const toolNames = tools.map(({ name }) => name)
  const calls = python?.entries.map(({ name }) => name) ?? []
  const asked = topic.slice(0, 100)
  const hint = didYouMean(asked, [...Object.keys(topics), ...toolNames, ...calls])
  const lists = [`Topics: ${Object.keys(topics).join(', ')}`, `tools: ${toolNames.join(', ')}`]
  if (calls.length > 0) lists.push(`Python: ${calls.join(', ')}`)
  return `There is no help on "${asked}"${hint}. ${lists.join('; ')}.`
}

function overview({ tools, config, isolation }: HelpSource): string {
  const mebibytes = config.limits.memoryBytes / (1024 * 1024)
  return [
    'vibeweaver: a Python process of your own that keeps its names from call to call, with a clock in beats, rules, markers and events.',
    section(
      'Tools',
      tools.map(({ name, spec }) => `${name}: ${spec.description}`),
    ),
    section('Topics of weave_help', [
      ...Object.entries(topics).map(([name, { summary }]) => `${name}: ${summary}`),
      'any name of a tool or of the Python module, e.g. on_beat',
    ]),
    section('Limits in force', [
      `one run at a time, ${config.maxQueuedRuns} more may wait`,
      `a call returns after ${config.foregroundS} s (foreground_s) with status running while its code goes on: weave_wait`,
      `a run is interrupted after ${config.defaultTimeoutMs / 1000} s unless timeout_s says otherwise`,
      `${streamBytesMax / 1024} KiB of stdout and of stderr per reply, beginning and end; the number of bytes left out is given`,
      `${mebibytes} MiB of address space per kernel, then MemoryError; ${config.limits.openFiles} open files`,
      `${config.maxKernels} kernels per worker; one that is idle for ${config.idleMs / 60_000} minutes is ended`,
      ...(isolation === undefined ? [] : [`isolation: ${isolation}`]),
    ]),
  ].join('\n\n')
}

function api({ tools, python }: HelpSource): string {
  const rules = [
    'Code is parsed once and run once. A last expression gives result; None gives null.',
    'Names live in a real __main__; _ is the last value. A new process (epoch + 1) starts empty.',
    'stdout and stderr hold what was written to the descriptors: prints, C code and programs alike.',
    'Top-level await runs on an event loop that goes on between calls. asyncio.run works in cells that do not await.',
    'stdin is empty: input() raises EOFError. sys.exit ends the run, not the kernel.',
    'The names of the module vibeweaver are there without an import; a name of yours shadows one until you delete it.',
  ]
  const module = python ? `Python module vibeweaver. ${python.about}\n\n${describePython(python)}` : noPython
  return [section('How code runs', rules), ...tools.map(describeTool), module].join('\n\n')
}

function session({ tools, python }: HelpSource): string {
  const tool = tools.find(({ name }) => name === 'weave_session')
  const intro = [
    `A session keeps vibe, tempo, transport, markers, rules and the history of what was done (the newest ${recentHistoryMax} are shown), beyond the life of the Python process and of the worker.`,
    'It is made, as "untitled", when you first run or ask for something. When an agent has gone, its owner’s next one takes its session over.',
    'session(name=…) changes to a session of that name, session(load=…) to one by its id; the old one’s transport and rules pause. One kernel holds a session at a time.',
    'session(shared=True) lets other owners read it, and load it while it is free.',
    'Python names, functions and tasks are not part of it. After a restart the transport is paused, and rules that call functions are "unbound" until they are registered again.',
    'weave_reset with clear_session deletes rules, markers and history, stops at beat 0, sets the tempo to 120; id and name stay.',
  ]
  const calls = ['session', 'sessions', 'history', 'note'].flatMap((name) => {
    const entry = python && findEntry(python, name)
    return entry ? [describeEntry(entry)] : []
  })
  return [section('Session', intro), ...(tool ? [describeTool(tool)] : []), ...calls, exampleText(['session'])].join(
    '\n\n',
  )
}

function scheduler({ python }: HelpSource): string {
  const entry = python && findEntry(python, 'rule')
  const calls = entry ? [describeEntry(entry)] : []
  return [schedulerText(), ...calls, exampleText(['clock', 'rules', 'events'])].join('\n\n')
}

function exampleText(wanted?: readonly ExampleTopic[]): string {
  return examples
    .filter(({ topic }) => wanted?.includes(topic) ?? true)
    .map(
      ({ title, code, expect }) =>
        `# ${title}\n${code}\n${Object.entries(expect)
          .map(([field, value]) => `#   ${field}: ${JSON.stringify(value)}`)
          .join('\n')}`,
    )
    .join('\n\n')
}

import { beatMax, bpmMax, bpmMin, nameLengthMax, notifyLengthMax, ruleCodeLengthMax } from '../limits.js'
import type { TransportCommand } from './clock.js'
import { ModuleError } from './module-api.js'
import { eventName, numberIn, quoted, splitKind, textIn } from './trigger.js'

/** What a rule does. */
export type Action =
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'eval'; readonly code: string }
  | { readonly kind: 'transport'; readonly command: TransportCommand }
  | { readonly kind: 'emit'; readonly name: string }
  | { readonly kind: 'notify'; readonly text: string }
  | { readonly kind: 'tool'; readonly name: string; readonly arguments: { readonly [name: string]: unknown } }

const forms = {
  call: 'call:fn',
  eval: 'eval:<code>',
  play: 'play',
  pause: 'pause',
  stop: 'stop',
  seek: 'seek:16',
  tempo: 'tempo:140',
  emit: 'emit:name',
  notify: 'notify:text',
  tool: 'tool:name {json}',
} as const

/** Throws a ModuleError (ValueError) that names what there is. */
export function parseAction(text: string): Action {
  const { kind, rest } = splitKind(text, 'action', forms)
  switch (kind) {
    case 'call':
      return { kind, name: textIn(rest, 'The function of call:', nameLengthMax * 4) }
    case 'eval':
      return { kind, code: textIn(rest, 'The code of eval:', ruleCodeLengthMax) }
    case 'play':
    case 'pause':
    case 'stop':
      if (text !== kind) throw new ModuleError('ValueError', `${kind} stands alone; got ${quoted(text)}.`)
      return { kind: 'transport', command: { do: kind } }
    case 'seek':
      return { kind: 'transport', command: { do: 'seek', beat: numberIn(rest, 'The beat of seek:', 0, beatMax) } }
    case 'tempo':
      return { kind: 'transport', command: { do: 'tempo', bpm: numberIn(rest, 'The bpm of tempo:', bpmMin, bpmMax) } }
    case 'emit':
      return { kind, name: eventName(rest) }
    case 'notify':
      return { kind, text: textIn(rest, 'The text of notify:', notifyLengthMax) }
    case 'tool':
      return parseTool(rest)
    default:
      return kind satisfies never
  }
}

/** The canonical text: parsing it gives the action again. */
export function formatAction(action: Action): string {
  switch (action.kind) {
    case 'call':
      return `call:${action.name}`
    case 'eval':
      return `eval:${action.code}`
    case 'transport':
      return formatCommand(action.command)
    case 'emit':
      return `emit:${action.name}`
    case 'notify':
      return `notify:${action.text}`
    case 'tool':
      return `tool:${action.name} ${JSON.stringify(action.arguments)}`
    default:
      return action satisfies never
  }
}

/** Whether it runs in Python, and therefore needs a living kernel. */
export function needsKernel({ kind }: Action): boolean {
  return kind === 'call' || kind === 'eval'
}

/** Whether what it does is written in the rule itself, for whichever kernel has the session to do with its own rights. */
export function carriesCode({ kind }: Action): boolean {
  return kind === 'eval' || kind === 'tool'
}

function formatCommand(command: TransportCommand): string {
  switch (command.do) {
    case 'seek':
      return `seek:${command.beat}`
    case 'tempo':
      return `tempo:${command.bpm}`
    default:
      return command.do
  }
}

function parseTool(rest: string): Action {
  const [, name = '', json = ''] = /^\s*(\S+)\s*(.*)$/s.exec(rest) ?? []
  if (name === '' || rest.length > ruleCodeLengthMax) {
    throw new ModuleError('ValueError', `A tool action reads tool:name {json}; got ${quoted(`tool:${rest}`)}.`)
  }
  return { kind: 'tool', name, arguments: json === '' ? {} : parseArguments(name, json) }
}

function parseArguments(name: string, json: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Said below, as for a list or a number.
  }
  throw new ModuleError('ValueError', `The arguments of tool:${name} must be a JSON object, not ${quoted(json)}.`)
}

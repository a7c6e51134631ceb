import { extractionLengthMax, extractionPartsMax } from '../limits.js'

/**
 * Where in a program's output a value stands. Written as `format:path[condition,…]`:
 *
 * - `format:` is `json` (the output is one JSON document), `ndjson` (one JSON value per line: the values of all lines, each on
 *   lines of its own; of session ids the first) or `ndjson-last` (the last line that has one). Without it the output is one
 *   document or lines, whichever it turns out to be.
 * - `path` is member names and list positions between dots: `result`, `part.text`, `choices.0.text`.
 * - conditions are `path=value`; only objects that meet all of them count.
 *
 * | program                             | `result_from`                                                         | `session_from`     |
 * | ----------------------------------- | --------------------------------------------------------------------- | ------------------ |
 * | `claude -p --output-format json`    | `json:result`                                                         | `json:session_id`  |
 * | `opencode run --format json`        | `ndjson:part.text[type=text]`                                         | `ndjson:sessionID` |
 * | `codex exec --json`                 | `ndjson-last:item.text[type=item.completed,item.type=agent_message]`  | `ndjson:thread_id` |
 */
export interface Extraction {
  readonly format: 'any' | 'json' | 'ndjson' | 'ndjson-last'
  readonly path: Path
  readonly conditions: readonly Condition[]
}

type Path = readonly string[]

interface Condition {
  readonly path: Path
  readonly value: string
}

/** One sentence that says what is wrong, or undefined. */
export function extractionProblem(text: string): string | undefined {
  const parsed = parseExtraction(text)
  return 'problem' in parsed ? parsed.problem : undefined
}

export function parseExtraction(text: string): Extraction | { readonly problem: string } {
  if (text.length > extractionLengthMax) return { problem: `must have at most ${extractionLengthMax} characters` }
  const [, format, rest = ''] = /^(?:([^:.[\]=]*):)?(.*)$/s.exec(text) ?? []
  if (format !== undefined && !isFormat(format)) {
    return { problem: `${JSON.stringify(format)} must be json, ndjson or ndjson-last, or left out` }
  }
  const [, pathText, conditionsText] = /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(rest) ?? []
  const path = parsePath(pathText)
  if (path === undefined) return { problem: `must be a path like json:result or ndjson:part.text[type=text]` }
  const conditions = conditionsText?.split(',').map(parseCondition) ?? []
  if (!conditions.every((condition) => condition !== undefined)) {
    return { problem: `conditions must be like [type=text] or [type=item.completed,item.type=agent_message]` }
  }
  if (path.length + conditions.length > extractionPartsMax) {
    return { problem: `must have at most ${extractionPartsMax} names and conditions` }
  }
  return { format: format ?? 'any', path, conditions }
}

/** What one JSON value of the output has there; undefined when it has nothing, or does not meet the conditions. */
export function extractFrom(value: unknown, { path, conditions }: Extraction): unknown {
  const isMeant = conditions.every((condition) => textOf(valueAt(value, condition.path)) === condition.value)
  return isMeant ? (valueAt(value, path) ?? undefined) : undefined
}

/** As text: a string as it is, anything else as JSON. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    // Own members only: `constructor` is in nobody's output.
    (inner, name) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name) ? (inner as never)[name] : undefined,
    value,
  )
}

function isFormat(text: string): text is 'json' | 'ndjson' | 'ndjson-last' {
  return text === 'json' || text === 'ndjson' || text === 'ndjson-last'
}

function parsePath(text: string | undefined): Path | undefined {
  const names = text?.trim().split('.')
  return names?.every((name) => /^[\w$@-]+$/.test(name)) ? names : undefined
}

function parseCondition(text: string): Condition | undefined {
  const at = text.indexOf('=')
  const path = parsePath(at < 0 ? undefined : text.slice(0, at))
  return path === undefined ? undefined : { path, value: text.slice(at + 1).trim() }
}

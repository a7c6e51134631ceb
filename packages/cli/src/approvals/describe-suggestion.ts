import { basename } from 'node:path'
import { tableOf } from '../table.js'
import { shortSuggestionId } from './approval-id.js'
import type { Suggestion } from './suggestions.js'
import { fromNow, timeSpan } from './time-span.js'
import { firstWords, quoted, visible } from './visible.js'

/** The oldest first. `now`: UTC ms. */
export function suggestionTable(suggestions: readonly Suggestion[], now: number): string {
  const rows = suggestions.map((suggestion) => [
    shortSuggestionId(suggestion.id),
    suggestion.kind,
    firstWords(basename(suggestion.project_path).replace(/\.qda$/i, ''), projectShownMax),
    suggestion.actor,
    timeSpan(now - Date.parse(suggestion.created_at)),
    firstWords(messageOf(suggestion) ?? JSON.stringify(suggestion.payload), textShownMax),
  ])
  return tableOf('ID KIND PROJECT BY AGE TEXT', rows).join('\n')
}

function messageOf({ about, rationale }: Suggestion): string | undefined {
  const message = about?.['message']
  return typeof message === 'string' ? message : rationale || undefined
}

const projectShownMax = 30
const textShownMax = 48

/** Everything that would be done, and what a person has to know to decide on it. `now`: UTC ms. */
export function describeSuggestion(suggestion: Suggestion, now: number): string {
  const { id, kind, tool, status, payload, about } = suggestion
  return [
    visible(`Suggestion ${id}: ${kind}, ${status}`),
    ...facts(suggestion, now).map(([name, value]) => `  ${name.padEnd(12)}${visible(value)}`),
    ...(about ? ['', 'What it is about, as it was then:', ...quoted(JSON.stringify(about, null, 2), '  | ')] : []),
    '',
    visible(`What ${tool} is asked for:`),
    ...quoted(JSON.stringify(payload, null, 2) ?? 'nothing', '  | '),
  ].join('\n')
}

function facts(suggestion: Suggestion, now: number): readonly (readonly [name: string, value: string])[] {
  const { project_path: project, created_at: created, actor, rationale, decided_by, decided_at, reason } = suggestion
  const when = (time: string) => `${time} (${fromNow(time, now)})`
  const optional = (name: string, value: string | null | undefined) => (value ? [[name, value] as const] : [])
  return [
    ['project', project],
    ['proposed', `${when(created)} by ${actor}`],
    ...optional('because', rationale),
    ...optional('decided', decided_at && `${when(decided_at)} by ${decided_by}`),
    ...optional('reason', reason),
  ]
}

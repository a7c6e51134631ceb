import { ownToolsMax, type SessionView, viewBytesMax, viewNamesLengthMax } from '@callboard/protocol'
import type { View } from './api.js'
import { encodeJson } from './json-body.js'
import { requireKnown } from './names.js'
import { hiddenOptions, shownOptions, viewOptions } from './option-names.js'
import { MadeSessionTool } from './session-tools.js'

/** A view as the hub is told it, and the tools that answer for it. */
export interface ReadView {
  readonly view: SessionView
  readonly tools: readonly MadeSessionTool[]
}

/** Throws a TypeError for a view that no hub would take. */
export function readView(given: View): ReadView {
  requireKnown('setView', given, viewOptions)
  const { hide = {}, show = {} } = given
  requireKnown('setView: hide', hide, hiddenOptions)
  requireKnown('setView: show', show, shownOptions)
  const tools = ownTools(given.tools ?? [])
  const lists = {
    hiddenTools: names('hide.tools', hide.tools),
    hiddenPrompts: names('hide.prompts', hide.prompts),
    hiddenResources: names('hide.resources', hide.resources),
    shownTools: names('show.tools', show.tools),
  }
  const length = Object.values(lists).flat().join('').length
  if (length > viewNamesLengthMax) {
    throw new TypeError(`setView: the names have ${length} characters; a view has at most ${viewNamesLengthMax}`)
  }
  const view = withoutEmpty({ ...lists, tools: tools.map(({ definition }) => definition) })
  const { byteLength } = encodeJson(view)
  if (byteLength <= viewBytesMax) return { view, tools }
  throw new TypeError(`setView: the view has ${byteLength} bytes; the hub takes ${viewBytesMax}`)
}

function names(what: string, given: unknown = []): readonly string[] {
  if (Array.isArray(given) && given.every((name) => typeof name === 'string' && name !== '')) return given
  throw new TypeError(`setView: ${what}: must be a list of names`)
}

function ownTools(given: unknown): readonly MadeSessionTool[] {
  if (!Array.isArray(given) || !given.every((tool) => tool instanceof MadeSessionTool)) {
    throw new TypeError('setView: tools: must be a list of what sessionTool() returns')
  }
  if (given.length > ownToolsMax) {
    throw new TypeError(`setView: tools: there are ${given.length}; a session has at most ${ownToolsMax} of its own`)
  }
  const twice = given.find(({ name }, index) => given.findIndex((other) => other.name === name) < index)
  if (twice !== undefined) throw new TypeError(`setView: tools: ${twice.name} is there twice`)
  return given
}

function withoutEmpty(view: Required<SessionView>): SessionView {
  return Object.fromEntries(Object.entries(view).filter(([, list]) => list.length > 0))
}

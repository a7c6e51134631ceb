import { remoteNameLengthMax } from '../limits.js'

/** Names under which agents see a forum's own tools, each once: `remote_search`, `remote_search_2`. */
export function localNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    const plain = `remote_${name.replace(/[^A-Za-z0-9_-]+/g, '_')}`.replace(/_+/g, '_').slice(0, remoteNameLengthMax)
    let local = plain
    for (let count = 2; taken.has(local); count += 1) {
      const suffix = `_${count}`
      local = `${plain.slice(0, remoteNameLengthMax - suffix.length)}${suffix}`
    }
    taken.add(local)
    return local
  })
}

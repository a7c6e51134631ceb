export type SeriesType = 'counter' | 'gauge' | 'histogram'
export type Labels = Readonly<Record<string, string>>

/** Writes the text format 0.0.4 of Prometheus: families in the order in which they are given, each once. */
export class Exposition {
  readonly #families = new Set<string>()
  #text = ''

  /** Begins a family; false: there is one of this name. */
  family(name: string, type: SeriesType, help: string): boolean {
    if (this.#families.has(name)) return false
    this.#families.add(name)
    this.#text += `# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}\n# TYPE ${name} ${type}\n`
    return true
  }

  /** One value of the family: `labels` as {@link writeLabels} writes them. */
  sample(name: string, labels: string, value: number): void {
    this.#text += labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`
  }

  toString(): string {
    return this.#text
  }
}

/** Names must be label names; values may be any text. */
export function writeLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\\n"]/g, escaped)}"`)
    .join(',')
}

const escaped = (character: string): string => (character === '\n' ? '\\n' : `\\${character}`)

/** RFC 6570 up to level 3, matched backwards: from a URI to the variables that expand to it. */
export interface UriTemplate {
  readonly variables: readonly string[]
  match(uri: string): { readonly [name: string]: string } | undefined
}

/** What each operator puts first and between, which characters a value may have, and whether names are written. */
const operators: { readonly [operator: string]: { first: string; between: string; value: string; named: boolean } } = {
  '': { first: '', between: ',', value: '[^/?#&]+', named: false },
  '+': { first: '', between: ',', value: '.+', named: false },
  '#': { first: '#', between: ',', value: '.+', named: false },
  '.': { first: '.', between: '.', value: '[^/?#.]+', named: false },
  '/': { first: '/', between: '/', value: '[^/?#]+', named: false },
  ';': { first: ';', between: ';', value: '[^/?#;]*', named: true },
  '?': { first: '?', between: '&', value: '[^&#]*', named: true },
  '&': { first: '&', between: '&', value: '[^&#]*', named: true },
}

const expression = /\{([+#./;?&]?)([A-Za-z0-9_.%,]+)\}/g

/** Throws a TypeError for what is not a template of levels 1 to 3. */
export function parseUriTemplate(template: string): UriTemplate {
  const variables: string[] = []
  const literals = template.split(expression).filter((_, index) => index % 3 === 0)
  if (literals.some((literal) => /[{}]/.test(literal))) {
    throw new TypeError(
      `resource template ${JSON.stringify(template)}: braces must hold an RFC 6570 expression of level 1 to 3`,
    )
  }
  let pattern = ''
  let index = 0
  for (const [, operator, list] of template.matchAll(expression)) {
    const names = list!.split(',')
    variables.push(...names)
    pattern += escapeLiteral(literals[index++]!) + patternOf(operator!, names)
  }
  const whole = new RegExp(`^${pattern}${escapeLiteral(literals[index]!)}$`, 's')
  if (new Set(variables).size < variables.length || variables.includes('')) {
    throw new TypeError(`resource template ${JSON.stringify(template)}: each variable needs a name of its own`)
  }
  return { variables, match: (uri) => read(whole.exec(uri), variables) }
}

/** Query and path parameters may be absent, as an undefined variable is on expansion. */
function patternOf(operator: string, names: readonly string[]): string {
  const { first, between, value, named } = operators[operator]!
  if (!named) return escapeLiteral(first) + names.map(() => `(${value})`).join(escapeLiteral(between))
  const separator = `[${escapeLiteral(first)}${escapeLiteral(between)}]`
  return names.map((name) => `(?:${separator}${escapeLiteral(name)}(?:=(${value}))?)?`).join('')
}

function read(
  match: RegExpExecArray | null,
  variables: readonly string[],
): { readonly [name: string]: string } | undefined {
  if (match === null) return undefined
  const values: [string, string][] = []
  for (const [index, name] of variables.entries()) {
    const value = match[index + 1]
    const decoded = value === undefined ? undefined : decode(value)
    if (decoded !== undefined) values.push([name, decoded])
  }
  return Object.fromEntries(values)
}

/** A value with a broken percent sign stands for itself. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function escapeLiteral(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

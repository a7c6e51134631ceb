import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

/** The options of this program; `--help` prints the usage and ends it, and what it does not know ends it with 2. */
export function readCommandLine<Own extends Options>(
  usage: string,
  options: Own,
): ReturnType<typeof parseArgs<{ options: Own }>>['values'] {
  if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  }
  try {
    return parseArgs<{ options: Own }>({ options }).values
  } catch (error) {
    return refuse(`${(error as Error).message}\n\n${usage}`)
  }
}

/** @param text What was given for the option `name`. */
export function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  return Number.isSafeInteger(number) && number > 0 ? number : refuse(`--${name} must be 1 or more, not ${text}.`)
}

function refuse(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

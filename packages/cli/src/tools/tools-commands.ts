import type { Command } from 'commander'

type AddExamples = (command: Command, examples: readonly string[]) => void

/** What operators decide about definitions. What a command does is loaded when it runs. */
export function addToolsCommands(program: Command, addExamples: AddExamples): void {
  const tools = program
    .command('tools')
    .description('which definitions of workers are in force where an operator has to accept them: pinning')
  addExamples(tools, ['callboard tools diff', 'callboard tools accept greeter', 'callboard tools pins'])

  const diff = tools
    .command('diff [name]')
    .usage('[options] [SERVICE|NAME]')
    .description('what is held back, and what is other in it than in what was accepted')
    .option('--json', 'print it as JSON')
    .action(async (name, options) => (await import('../commands/tools-diff.js')).runToolsDiff(name, options))
  addExamples(diff, ['callboard tools diff', 'callboard tools diff greeter', 'callboard tools diff greet --json'])

  const accept = tools
    .command('accept [names...]')
    .usage('[options] <SERVICE|NAME…>')
    .description(
      'Show what is held back, ask, and let it into force. What changes after it was shown is not accepted with it.',
    )
    .option('--all', 'all that is held back')
    .option('--hash <hash>', 'only the definition of this hash, as "callboard tools diff" shows it')
    .option('--yes', 'do not ask')
    .option('--json', 'print what was accepted as JSON; goes with --yes')
    .action(async (names, options) => (await import('../commands/tools-accept.js')).runToolsAccept(names, options))
  addExamples(accept, [
    'callboard tools accept greeter',
    'callboard tools accept greet --hash 75de3eb7a249a5f4b1d944a55b0c1f8f3ab72e6d --yes',
    'callboard tools accept --all --yes',
  ])

  const pins = tools
    .command('pins')
    .description('which definitions were accepted, of whom, and when')
    .option('--json', 'print them as JSON')
    .action(async (options) => (await import('../commands/tools-pins.js')).runToolsPins(options))
  addExamples(pins, ['callboard tools pins', 'callboard tools pins --json'])

  const forget = tools
    .command('forget <name>')
    .usage('[options] <NAME|SERVICE|IDENTITY>')
    .description(
      'take back what was accepted: of a definition, a service, or a worker like key:far; it is held at once',
    )
    .option('--json', 'print what is not accepted any more as JSON')
    .action(async (name, options) => (await import('../commands/tools-forget.js')).runToolsForget(name, options))
  addExamples(forget, ['callboard tools forget greet', 'callboard tools forget service:greeter'])
}

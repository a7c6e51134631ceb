import { type Command, InvalidArgumentError } from 'commander'

type AddExamples = (command: Command, examples: readonly string[]) => void

export function addAuditCommands(program: Command, addExamples: AddExamples): void {
  const audit = program.command('audit').description('the journal of who called what, when the hub keeps one')
  addExamples(audit, ['callboard audit tail --follow', 'callboard audit verify', 'callboard audit head'])

  const verify = audit
    .command('verify')
    .summary('whether the journal is as the hub wrote it')
    .description(
      'Follow the chain of hashes through all files, and name every line that was changed, removed, moved or put in. ' +
        'Whether the newest lines are missing it can tell only with --expect.',
    )
    .option('--directory <path>', 'where the journal is (default: that of the configuration)')
    .option('--from <file>', 'begin with this file')
    .option(
      '--expect <hash>',
      'a hash that "callboard audit head" printed, or the hub’s log: its line must be there',
      hash,
    )
    .option('--json', 'print what was found as JSON')
    .action(async (options) => (await import('../commands/audit-verify.js')).runAuditVerify(options))
  addExamples(verify, ['callboard audit verify', 'callboard audit verify --from audit-00000007.jsonl --json'])

  const head = audit
    .command('head')
    .description('print the newest line’s hash, to be kept elsewhere for "audit verify --expect"')
    .option('--directory <path>', 'where the journal is (default: that of the configuration)')
    .option('--json', 'print hash and number as JSON')
    .action(async (options) => (await import('../commands/audit-head.js')).runAuditHead(options))
  addExamples(head, ['callboard audit head', 'callboard audit head --json'])

  const tail = audit
    .command('tail')
    .description('print the newest lines of the journal')
    .option('--directory <path>', 'where the journal is (default: that of the configuration)')
    .option('-f, --follow', 'go on with what comes')
    .option('-n, --lines <number>', 'how many (default: 20)', count)
    .option('--principal <name>', 'only of this principal, or on its behalf')
    .option('--tool <name>', 'only of this tool, resource or prompt; * stands for anything')
    .option('--outcome <code>', 'only with this outcome, like result, tool_error or unknown')
    .option('--json', 'print the lines as they are')
    .action(async (options) => (await import('../commands/audit-tail.js')).runAuditTail(options))
  addExamples(tail, [
    'callboard audit tail',
    'callboard audit tail -f --principal ada',
    'callboard audit tail -n 100 --json',
  ])
}

function hash(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text
  throw new InvalidArgumentError('It must be a hash: 64 of 0-9 and a-f.')
}

function count(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number up to 999999.')
}

import { nearestName } from '@callboard/protocol/nearest-name'
import type { Command } from 'commander'
import { approvalId, approvalIds, itemId } from './approval-id.js'

type AddExamples = (command: Command, examples: readonly string[]) => void
type ParseNumber = (text: string) => number

/** What operators decide about posts and suggestions. What a command does is loaded when it runs. */
export function addApprovalsCommands(program: Command, addExamples: AddExamples, positiveNumber: ParseNumber): void {
  const approvals = program
    .command('approvals')
    .description(
      'what waits for an operator, posts and suggestions: list, show, approve and reject it, edit posts, and what became of them',
    )
    .usage('[options] [command]')
    .argument('[command...]')
    .option('--network <name>', 'only posts for this network')
    .option('--limit <number>', 'how many of each at most, up to 200 (default: 50)', positiveNumber)
    .option('--json', 'print them as JSON')
    .action(async ([word]: readonly string[], options, command: Command) => {
      if (word !== undefined) refuseWord(word, command)
      await (await import('../commands/approvals-list.js')).runApprovalsList(options)
    })
  addExamples(approvals, ['callboard approvals', 'callboard approvals show 7', 'callboard approvals approve 7'])
  addLookingCommands(approvals, addExamples, positiveNumber)
  addDecidingCommands(approvals, addExamples, positiveNumber)
  addOutboxCommands(approvals, addExamples)
}

/** Commander would say that there are too many arguments. */
function refuseWord(word: string, command: Command): never {
  const near = nearestName(
    word,
    command.commands.map((each) => each.name()),
  )
  return command.error(`error: unknown command '${word}'${near === undefined ? '' : `\n(Did you mean ${near}?)`}`)
}

function addLookingCommands(approvals: Command, addExamples: AddExamples, positiveNumber: ParseNumber): void {
  const list = approvals
    .command('list')
    .description('what waits for approval, oldest first; the same as "callboard approvals" alone')
    .option('--network <name>', 'only posts for this network')
    .option('--limit <number>', 'how many of each at most, up to 200 (default: 50)', positiveNumber)
    .option('--json', 'print them as JSON')
    .action(async (_, command: Command) =>
      (await import('../commands/approvals-list.js')).runApprovalsList(command.optsWithGlobals()),
    )
  addExamples(list, ['callboard approvals list', 'callboard approvals list --network mastodon --limit 100'])

  const show = approvals
    .command('show')
    .argument('<id>', idWords, approvalId)
    .description(
      'one of them whole: every text, what it answers, media, risks, costs and history, or what is suggested',
    )
    .option('--json', 'print it as JSON')
    .action(async (id, _, command: Command) =>
      (await import('../commands/approvals-show.js')).runApprovalsShow(id, command.optsWithGlobals()),
    )
  addExamples(show, [
    'callboard approvals show 7',
    'callboard approvals show 3fa85f64',
    'callboard approvals show 7 --json',
  ])

  const outbox = approvals
    .command('outbox')
    .description('what was approved, and what became of it')
    .option('--status <status>', 'only those that are queued, publishing, posted, failed or unknown')
    .option('--network <name>', 'only those for this network')
    .option('--limit <number>', 'how many at most, up to 200 (default: 50)', positiveNumber)
    .option('--json', 'print them as JSON')
    .action(async (_, command: Command) =>
      (await import('../commands/approvals-outbox.js')).runApprovalsOutbox(command.optsWithGlobals()),
    )
  addExamples(outbox, ['callboard approvals outbox', 'callboard approvals outbox --status failed'])
}

function addDecidingCommands(approvals: Command, addExamples: AddExamples, positiveNumber: ParseNumber): void {
  const approve = approvals
    .command('approve')
    .argument('[ids...]', 'numbers of items, or ids of suggestions', approvalIds)
    .description('show them, and approve them as they were shown: what has changed meanwhile is not approved')
    .option('-y, --yes', 'do not ask: what is shown is approved')
    .option('--all', 'all posts that wait, oldest first, up to --max')
    .option('--max <number>', 'with --all: how many at most, up to 50 (default: 10)', positiveNumber)
    .option('--network <name>', 'with --all: only those for this network')
    .option('--as-attributes', 'write suggested metadata into the attributes of the file as well')
    .action(async (ids, _, command: Command) =>
      (await import('../commands/approvals-approve.js')).runApprovalsApprove(ids ?? [], command.optsWithGlobals()),
    )
  addExamples(approve, [
    'callboard approvals approve 7',
    'callboard approvals approve 7 8 --yes',
    'callboard approvals approve 3fa85f64',
    'callboard approvals approve --all --max 5',
  ])

  const reject = approvals
    .command('reject')
    .argument('<id>', idWords, approvalId)
    .description('refuse one of them for good; its author can propose another one')
    .option('--reason <text>', 'why, for its author; up to 500 characters; a suggestion needs one')
    .action(async (id, options) => (await import('../commands/approvals-reject.js')).runApprovalsReject(id, options))
  addExamples(reject, ['callboard approvals reject 7', "callboard approvals reject 7 --reason 'not our tone'"])

  const edit = approvals
    .command('edit')
    .argument('<id>', 'the number of an item', itemId)
    .description('change the text of an item in your editor (EDITOR), the parts of a thread between lines of ---')
    .option('--text <text>', 'the new text, without an editor; repeated for each part', collect)
    .action(async (id, options) => (await import('../commands/approvals-edit.js')).runApprovalsEdit(id, options))
  addExamples(edit, [
    'callboard approvals edit 7',
    "callboard approvals edit 7 --text 'Better words.'",
    "callboard approvals edit 8 --text 'First part.' --text 'Second part.'",
  ])
}

function addOutboxCommands(approvals: Command, addExamples: AddExamples): void {
  const retry = approvals
    .command('retry')
    .argument('<id>', 'the number of an item', itemId)
    .description('send an item that failed once more; it counts against the limits again')
    .action(async (id) => (await import('../commands/approvals-retry.js')).runApprovalsRetry(id))
  addExamples(retry, ['callboard approvals retry 7'])

  const resolve = approvals
    .command('resolve')
    .argument('<id>', 'the number of an item', itemId)
    .description('say what became of an item that is unknown: it was sent, and no answer came')
    .option('--posted', 'it is there')
    .option('--failed', 'it is not there')
    .action(async (id, options) => (await import('../commands/approvals-resolve.js')).runApprovalsResolve(id, options))
  addExamples(resolve, ['callboard approvals resolve 7 --posted', 'callboard approvals resolve 7 --failed'])

  const unschedule = approvals
    .command('unschedule')
    .argument('<id>', 'the number of an item', itemId)
    .description('take an approved item back, as long as nothing of it is out: it waits for approval again')
    .action(async (id) => (await import('../commands/approvals-unschedule.js')).runApprovalsUnschedule(id))
  addExamples(unschedule, ['callboard approvals unschedule 7'])
}

const idWords = 'the number of an item, or the id of a suggestion: its first 6 characters or more'

const collect = (text: string, previous: readonly string[] = []): readonly string[] => [...previous, text]

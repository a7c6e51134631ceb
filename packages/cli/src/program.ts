import { Command, InvalidArgumentError, Option } from 'commander'
import { addApprovalsCommands } from './approvals/approvals-commands.js'
import { addAuditCommands } from './audit/audit-commands.js'
import { binary } from './binary.js'
import { addKeysCommands } from './keys/keys-commands.js'
import { lifetimeMs, lifetimeRule } from './lifetime.js'
import { print } from './output.js'
import { addToolsCommands } from './tools/tools-commands.js'
import { version } from './version.js'

/** The command line. What a command does is loaded when it runs: a client waits for `stdio` to start. */
export function createProgram(): Command {
  const program = new Command('callboard')
    .description('One MCP endpoint in front of many workers.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showHelpAfterError(false)
    .exitOverride()
  addExamples(program, ['callboard up', 'callboard ls', "callboard call weave_eval code='1 + 1'", 'callboard doctor'])
  addHubCommands(program)
  addAgentCommands(program)
  addSchedulerCommands(program)
  addApprovalsCommands(program, addExamples, positiveNumber)
  addTokenCommands(program)
  addKeysCommands(program, addExamples, once(String))
  addToolsCommands(program, addExamples)
  addAuditCommands(program, addExamples)
  addPolicyCommands(program)
  addDemoCommand(program)
  addMcpJsonCommand(program)
  explainErrors(program, 'callboard')
  return program
}

function addDemoCommand(program: Command): void {
  const demo = program
    .command('demo <name>')
    .summary('start or make something on this machine to try a worker with')
    .usage('[options] <forum|qda>')
    .description(
      'Start or make something on this machine to try a worker with. "forum": a small forum in the foreground that answers ' +
        'as Discourse does, with people and texts in it. It forgets everything when it ends. "qda": a small QualCoder ' +
        'project, with interviews, codes and codings of two coders in it.',
    )
    .option('--port <number>', 'forum: where it listens on 127.0.0.1; 0 for any free port (default: 4200)', port)
    .option('--path <folder>', 'qda: the new folder, which ends in .qda (default: "Village garden.qda", here)')
    .option('--json', 'print where it is and how to use it as JSON')
    .action(async (name, options) => (await import('./commands/demo.js')).runDemo(name, options))
  addExamples(demo, [
    'callboard demo forum',
    'callboard demo forum --port 0 --json',
    'callboard demo qda --path ~/garden.qda',
  ])
}

function addMcpJsonCommand(program: Command): void {
  const mcpJson = program
    .command('mcp-json [folder]')
    .summary("put where QualCoder's tools are into a folder's .mcp.json")
    .description(
      "Show a folder's .mcp.json (default: here) with the entry by which agents find QualCoder's tools over HTTP, beside " +
        'all that is in it; with --write, put it there.',
    )
    .option('--write', 'write it, whole or not at all')
    .action(async (folder, options) => (await import('./commands/mcp-json.js')).runMcpJson(folder ?? '.', options))
  addExamples(mcpJson, ['callboard mcp-json', 'callboard mcp-json ~/research --write'])
}

/** Whoever got a command wrong is sent to the help of that command. */
function explainErrors(command: Command, words: string): void {
  command.configureOutput({ outputError: (text, write) => write(oneSentence(text, words)) })
  for (const each of command.commands) explainErrors(each, `${words} ${each.name()}`)
}

function addHubCommands(program: Command): void {
  const namespace = new Option('--namespace <when>', 'put the service before tool names').choices(['never', 'always'])
  const http = new Option('--http <host:port|off>', 'where HTTP listens (CALLBOARD_HTTP)')
  const hub = program
    .command('hub')
    .description('run the hub alone, in the foreground')
    .option('--stdio', 'also speak MCP on stdin and stdout, and end with them')
    .option('--as <name>', 'with --stdio: which agent this is, one of the config or of a token')
    .addOption(http)
    .addOption(namespace)
    .action(async (options) => (await import('./commands/hub.js')).runHub(options))
  addExamples(hub, ['callboard hub', 'callboard hub --http 127.0.0.1:9000', 'callboard hub --stdio --http off'])

  const up = program
    .command('up')
    .description('run the hub and its workers, and keep the workers running')
    .option('--workers <names>', 'which workers, comma-separated (CALLBOARD_WORKERS; default: all built-in ones)')
    .addOption(http)
    .addOption(namespace)
    .addOption(new Option('--on-demand').hideHelp())
    .action(async (options) => (await import('./commands/up.js')).runUp(options))
  addExamples(up, ['callboard up', 'callboard up --workers kernel --http off'])

  const down = program
    .command('down')
    .description('end the hub and the workers that came with it, and wait until they are gone')
    .action(async () => (await import('./commands/down.js')).runDown())
  addExamples(down, ['callboard down'])

  const drain = program
    .command('drain <target>')
    .summary('ask a worker, or all workers of a service, to finish and leave')
    .usage('[options] <SERVICE|INSTANCE>')
    .description(
      'Ask a worker (by its instance), or all workers of a service, to finish their calls and leave, and wait until they ' +
        'are gone. "callboard up" starts its workers again. With --rolling one leaves after the other, each when the one ' +
        'before has a successor that takes calls: a service with several workers is restarted without a pause.',
    )
    .option('--rolling', 'one worker after the other; stops at the first that has no successor')
    .option('--timeout <seconds>', 'how long calls may go on before they are cancelled (default: 30)', positiveNumber)
    .option('--json', 'print who has left as JSON')
    .action(async (target, options) => (await import('./commands/drain.js')).runDrain(target, options))
  addExamples(drain, [
    'callboard drain kernel',
    'callboard drain forum --rolling',
    'callboard drain kernel --timeout 120 --json',
  ])

  const forget = program
    .command('forget <service>')
    .summary('free the names of a service that is away for good')
    .description(
      'Forget a service that is away: its tools leave the lists, and its names are free at once, not after a week. ' +
        'Workers that were refused one of the names get it without a restart.',
    )
    .option('--json', 'print which tools are free or another service’s now as JSON')
    .action(async (service, options) => (await import('./commands/forget.js')).runForget(service, options))
  addExamples(forget, ['callboard forget old-search', 'callboard forget old-search --json'])

  addWorkerCommand(program)
}

/** Which flags there are its worker knows, which is loaded when it is asked for. */
function addWorkerCommand(program: Command): void {
  const worker = program
    .command('worker [name] [flags...]')
    .usage('<name> [flags]')
    .description('run one built-in worker; it connects to the hub at CALLBOARD_HUB')
    .allowUnknownOption()
    .helpOption(false)
    .option('-h, --help', 'print help, after a name also for the flags of that worker')
    .action(async (name: string | undefined, words: readonly string[], { help }: { readonly help?: true }) => {
      const { runWorker, workerHelp } = await import('./commands/worker.js')
      if (help) {
        const own = name === undefined ? undefined : await workerHelp(name)
        worker.outputHelp()
        if (own !== undefined) print(own)
        return
      }
      if (name === undefined) return worker.error("error: missing required argument 'name'")
      if (name.startsWith('-')) return worker.error("error: the worker's name must come first, then its flags")
      await runWorker(name, words)
    })
  addExamples(worker, [
    'callboard worker kernel',
    'CALLBOARD_HUB=ipc:///run/callboard/worker.sock callboard worker kernel',
    'callboard worker forum --help',
  ])
}

function addAgentCommands(program: Command): void {
  const stdio = program
    .command('stdio')
    .description('what an MCP client starts: joins its stdio to the running hub, or to one that it starts')
    .option('--as <name>', 'which agent this is, one of the config or of a token (its token in CALLBOARD_TOKEN)')
    .option('--tools <patterns>', 'list only these tools: names or service:name with *, comma-separated')
    .option('--search', 'list no tools but search_tools and call_tool, which find and call the others')
    .action(async (options) => (await import('./commands/stdio.js')).runStdio(options))
  addExamples(stdio, [
    'callboard stdio',
    `claude mcp add callboard -- node ${binary} stdio`,
    "callboard stdio --tools 'forum:*,weave_*'",
    'callboard stdio --search',
  ])

  const list = program
    .command('ls')
    .description('what is there: workers, services with their tools, calls in flight')
    .option('--json', 'print everything as JSON')
    .action(async (options) => (await import('./commands/ls.js')).runList(options))
  addExamples(list, ['callboard ls', 'callboard ls --json'])

  addWatchCommands(program)

  const call = program
    .command('call <tool> [arguments...]')
    .description('call a tool: arguments are key=value, key:=json, or one JSON object')
    .option('--json', 'print the whole result as JSON')
    .option(
      '--as <name>',
      'which agent this is, one of the config or of a token, or operator (token in CALLBOARD_TOKEN)',
    )
    .option('--timeout <seconds>', 'give up after this time', positiveNumber)
    .option('--progress', 'print progress on stderr')
    .action(async (tool, words, options) => (await import('./commands/call.js')).runCall(tool, words, options))
  addExamples(call, [
    "callboard call weave_eval code='1 + 1'",
    'callboard call weave_eval \'{"code": "import time; time.sleep(5)"}\' --timeout 2',
    "callboard call weave_eval code='2 ** 10' timeout_s:=5 --json",
  ])

  const doctor = program
    .command('doctor')
    .description('what is wrong with this installation, and what helps')
    .option('--json', 'print the findings as JSON')
    .action(async (options) => (await import('./commands/doctor.js')).runDoctor(options))
  addExamples(doctor, ['callboard doctor'])
}

function addWatchCommands(program: Command): void {
  const metrics = program
    .command('metrics')
    .summary('the numbers of the running hub, as Prometheus reads them')
    .description(
      'Print the numbers of the running hub, as GET /metrics gives them to Prometheus: calls, latencies, queues, workers, ' +
        'the process. It needs no HTTP and no token.',
    )
    .option('--json', 'print them as JSON')
    .action(async (options) => (await import('./commands/metrics.js')).runMetrics(options))
  addExamples(metrics, ['callboard metrics', 'callboard metrics --json'])

  const top = program
    .command('top')
    .summary('watch what the services do: rates, latencies, queues')
    .description(
      'Watch what the services do: one table on a terminal, which changes, or one after the other where a program reads. ' +
        'Rates and latencies are those of the time since the table before; latencies are estimates.',
    )
    .option('--interval <seconds>', 'the time between two tables (default: 2)', positiveNumber)
    .option('--once', 'print one table and end')
    .action(async (options) => (await import('./commands/top.js')).runTop(options))
  addExamples(top, ['callboard top', 'callboard top --interval 10 >> load.txt', 'callboard top --once'])
}

function addSchedulerCommands(program: Command): void {
  const tasks = program
    .command('tasks')
    .description('which runs of scheduled tasks come next, or with --history which there were')
    .option('--history', 'what became of runs of tasks, triggers and mails, newest first')
    .option('--group <folder>', 'only those of this group')
    .option('--task <id>', 'only those of this task')
    .option('--limit <number>', 'how many at most, up to 500 (default: 20)', positiveNumber)
    .option('--json', 'print them as JSON')
    .action(async (options) => (await import('./commands/tasks.js')).runTasks(options))
  addExamples(tasks, ['callboard tasks', 'callboard tasks --history --group main --limit 50', 'callboard tasks --json'])

  const groups = program.command('groups').description('the groups of the scheduler')
  addExamples(groups, ['callboard groups check'])

  const check = groups
    .command('check [file]')
    .description('whether a groups file is valid (default: the scheduler’s own), and everything that is wrong with it')
    .option('--json', 'print what was found as JSON')
    .action(async (file, options) => (await import('./commands/groups.js')).runGroupsCheck(file, options))
  addExamples(check, ['callboard groups check', 'callboard groups check ./groups.json --json'])
}

function addPolicyCommands(program: Command): void {
  const policy = program.command('policy').description('who may see, call and how often: the policy file')
  addExamples(policy, ['callboard policy check', 'callboard policy check --as ada weave_eval code=1'])

  const check = policy
    .command('check [tool] [arguments...]')
    .description('whether the policy file is valid; with a tool, what becomes of a call of it, and by which rule')
    .option('--as <principal>', 'who calls, like agent:ada, or ada, or operator (default: agent:main)', once(String))
    .option(
      '--role <role>',
      'its role, agent or operator, who is an agent, too (default: as the config says)',
      once(role),
    )
    .option('--through <service>', 'a worker that calls for it', once(String))
    .option('--file <file>', 'the policy (default: the one that the hub takes)', once(String))
    .option('--json', 'print it as JSON')
    .action(async (tool, words, options) => {
      await (await import('./commands/policy-check.js')).runPolicyCheck(tool, words, options)
    })
  addExamples(check, [
    'callboard policy check',
    'callboard policy check --as agent:ada weave_eval code=1+1',
    'callboard policy check --as ada forum:search --json',
    `callboard policy check --file ./policy.json --as operator social:publish '{"id": 1}'`,
  ])
}

function addTokenCommands(program: Command): void {
  const token = program.command('token').description('who may act as which agent: tokens that name one')
  addExamples(token, ['callboard token new ada --expires 30d', 'callboard token list', 'callboard token revoke ada'])

  const create = token
    .command('new <name>')
    .description('make a token for an agent, and print it: it is shown this once')
    .option('--group <name>', 'the group of an agent that the config does not name', once(String))
    .option('--role <role>', 'its role, agent or operator, who is an agent, too (default: agent)', once(role))
    .option('--expires <time>', 'how long it is good, like 12h or 30d (default: until it is revoked)', once(lifetime))
    .option('--json', 'print the token and what it stands for as JSON')
    .action(async (name, options) => (await import('./commands/token.js')).runTokenNew(name, options))
  addExamples(create, [
    'callboard token new ada',
    'callboard token new ada --group lab --expires 30d',
    'CALLBOARD_TOKEN=$(callboard token new ada) callboard stdio --as ada',
  ])

  const list = token
    .command('list')
    .description('which tokens there are, whose, and until when')
    .option('--json', 'print them as JSON')
    .action(async (options) => (await import('./commands/token.js')).runTokenList(options))
  addExamples(list, ['callboard token list', 'callboard token list --json'])

  const revoke = token
    .command('revoke <id>')
    .usage('<ID|NAME>')
    .description('end a token, or all tokens of an agent: whoever uses one is cut off within a second')
    .action(async (which) => (await import('./commands/token.js')).runTokenRevoke(which))
  addExamples(revoke, ['callboard token revoke tok:1f0c9a2e', 'callboard token revoke ada'])

  const forget = token
    .command('forget <id>')
    .usage('<ID|NAME>')
    .description('remove a token that has ended, or all such of an agent: whoever has none left may need none any more')
    .action(async (which) => (await import('./commands/token.js')).runTokenForget(which))
  addExamples(forget, ['callboard token forget tok:1f0c9a2e', 'callboard token forget ada'])

  const show = token
    .command('show')
    .description('print the local token: over HTTP it is what a local agent without a token is')
    .action(async () => (await import('./commands/token.js')).runTokenShow())
  addExamples(show, ['callboard token show', 'curl -H "Authorization: Bearer $(callboard token show)" …/mcp'])
}

/** Which of two was meant nobody can tell, and with tokens a guess is no good. */
function once<T>(parse: (text: string) => T): (text: string, previous?: T) => T {
  return (text, previous) => {
    if (previous !== undefined) throw new InvalidArgumentError('It may be given once.')
    return parse(text)
  }
}

function role(text: string): 'agent' | 'operator' {
  if (text === 'agent' || text === 'operator') return text
  throw new InvalidArgumentError('Allowed choices are agent, operator.')
}

/** In ms. */
function lifetime(text: string): number {
  const ms = lifetimeMs(text)
  if (ms !== undefined) return ms
  throw new InvalidArgumentError(`It must be ${lifetimeRule}.`)
}

function addExamples(command: Command, examples: readonly string[]): void {
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`)
}

function positiveNumber(text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new InvalidArgumentError('It must be a number above 0.')
}

function port(text: string): number {
  const value = Number(text)
  if (/^\d{1,5}$/.test(text) && value <= 65_535) return value
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}

/** Asking for help on a command that is not there is a mistake as much as calling it. */
export function withoutVainHelp(program: Command, words: readonly string[]): readonly string[] {
  const isHelp = (word: string) => word === '-h' || word === '--help'
  if (words[0] !== 'help' && !words.some(isHelp)) return words
  const named = words[0] === 'help' ? words.slice(1) : words
  let command = program
  for (const [index, word] of named.entries()) {
    if (word.startsWith('-') || word === 'help' || command.commands.length === 0) return words
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) return named.slice(0, index + 1)
    command = next
  }
  // Commander's own help command knows the first word only.
  return words[0] === 'help' && named.length > 1 ? [...named, '--help'] : words
}

/** Commander puts its suggestion on a second line. */
function oneSentence(text: string, words: string): string {
  const [problem = '', ...rest] = text
    .replace(/^error: /, '')
    .trim()
    .split('\n')
  const suggestion = /\(Did you mean (?:one of )?(.*)\?\)/.exec(rest.join(' '))?.[1]
  const hint = suggestion === undefined ? `see ${words} --help` : `did you mean ${suggestion}?`
  return `callboard: ${problem.replace(/\.$/, '')} (${hint})\n`
}

import type { Command } from 'commander'

type AddExamples = (command: Command, examples: readonly string[]) => void
/** Which of two was meant nobody can tell. */
type Once = (text: string, previous?: string) => string

/** Which workers may sign in from elsewhere. What a command does is loaded when it runs. */
export function addKeysCommands(program: Command, addExamples: AddExamples, once: Once): void {
  const keys = program
    .command('keys')
    .description('which workers may sign in over the network: keys, and what each may offer')
  addExamples(keys, [
    'callboard keys new lab',
    "callboard keys authorize lab 'KEY'",
    'callboard keys list',
    'callboard keys revoke lab',
  ])
  addMakingCommands(keys, addExamples, once)
  addAuthorizeCommand(keys, addExamples, once)
  addListCommands(keys, addExamples)
}

function addMakingCommands(keys: Command, addExamples: AddExamples, once: Once): void {
  const create = keys
    .command('new <name>')
    .description("make a worker's key, where the worker will run, and print its public half: that is no secret")
    .option(
      '--out <file>',
      'where the key goes (default: keys/NAME.key in the data directory); none is overwritten',
      once,
    )
    .option('--json', 'print the public half and the file as JSON')
    .action(async (name, options) => (await import('../commands/keys-new.js')).runKeysNew(name, options))
  addExamples(create, ['callboard keys new lab', 'callboard keys new lab --out /etc/callboard/lab.key'])

  const hub = keys
    .command('hub')
    .description(
      "print the public half of the hub's key, made now if there is none: each worker needs it; and in a second line that of " +
        'the next one, if it is prepared',
    )
    .option('--new', 'prepare the next key, which workers are to know beside the one in force')
    .option('--switch', 'put the prepared key in force, from the next start of the hub on')
    .option('--json', 'print all of it and the files as JSON')
    .action(async (options) => (await import('../commands/keys-hub.js')).runKeysHub(options))
  addExamples(hub, [
    'callboard keys hub',
    'callboard keys hub > hub.pub',
    'callboard keys hub --new',
    'callboard keys hub --switch',
  ])
}

function addAuthorizeCommand(keys: Command, addExamples: AddExamples, once: Once): void {
  const authorize = keys
    .command('authorize <name> [key]')
    .usage("[options] <NAME> ['KEY']")
    .description(
      'let a worker sign in by a key, public half (default: that of keys/NAME.key), and say what it may offer. ' +
        'What is not said stays as it is for a key or name that is there already.',
    )
    .option('--file <file>', 'a file with the key', once)
    .option('--services <names>', 'its services, comma-separated (default: NAME)', once)
    .option('--tools <patterns>', "names of tools and prompts, like 'run_*,list' (default: '*'; '': none)", once)
    .option('--resources <patterns>', "URIs of resources, like 'lab://*' (default: '*'; '': none)", once)
    .option(
      '--expires <time>',
      'how long it is good, like 30d, or until when, like 2027-01-31 (default: until it is revoked)',
      once,
    )
    .option(
      '--trusted',
      'it may hold the name of a service that comes with Callboard, and its messages are not checked',
    )
    .option('--json', 'print what is authorized as JSON')
    .action(async (name, key, options) =>
      (await import('../commands/keys-authorize.js')).runKeysAuthorize(name, key, options),
    )
  addExamples(authorize, [
    "callboard keys authorize lab 'KEY' --tools 'run_*,list' --expires 30d",
    'callboard keys authorize lab --file lab.pub --services lab,archive',
    'callboard keys authorize qda --file qda.pub --trusted',
  ])
}

function addListCommands(keys: Command, addExamples: AddExamples): void {
  const list = keys
    .command('list')
    .description('which keys may sign in, what each may offer, until when, and how many workers are in by it')
    .option('--json', 'print them as JSON')
    .action(async (options) => (await import('../commands/keys-list.js')).runKeysList(options))
  addExamples(list, ['callboard keys list', 'callboard keys list --json'])

  const revoke = keys
    .command('revoke <which>')
    .usage("<NAME|'KEY'>")
    .description('take a key, or all keys of a name, off the list: whoever is in by it is cut off within a second')
    .option('--json', 'print what was revoked and who was cut off as JSON')
    .action(async (which, options) => (await import('../commands/keys-revoke.js')).runKeysRevoke(which, options))
  addExamples(revoke, ['callboard keys revoke lab', "callboard keys revoke 'KEY'"])
}

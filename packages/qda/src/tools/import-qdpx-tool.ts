import { type CallIdentity, CallReplies, callKey, pruneCallReplies } from '@callboard/store'
import { hashOfJson } from '@callboard/worker/canonical-json'
import { z } from 'zod'
import { importAsNew } from '../exchange/import-as-new.js'
import { importHere, prepareImport, releaseImport } from '../exchange/import-here.js'
import { QdaFailure } from '../failure.js'
import { importFile, newProjectAt } from '../format/project-path.js'
import { exchangeMs, pathLengthMax, requestsPrunedMax } from '../limits.js'
import type { QdaSchema } from '../records/schema.js'
import { enterProject, openedData, openedProject } from './enter-project.js'
import { importData, importedData } from './import-data.js'
import { type Call, rowsTool, type WriteTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

const name = 'import_qdpx'

const input = z.object({
  path: z.string().min(1).max(pathLengthMax).describe('Absolute path of the .qdpx file'),
  target: z
    .enum(['new', 'current'])
    .default('new')
    .describe('new: a project of its own, which is then open in this session. current: into the open one'),
  project_path: z
    .string()
    .min(1)
    .max(pathLengthMax)
    .optional()
    .describe('Of the .qda folder to make, for target new. Default: beside the file, under its name'),
})

type Input = z.output<typeof input>

const data = z.object({
  target: z.enum(['new', 'current']),
  ...importData,
  ...z.object(openedData).partial().shape,
  opened: z.literal(true).optional().describe('The new project is the one that this session has open now'),
})

export function importQdpxTool(parts: ToolParts): WriteTool {
  const { config } = parts
  return rowsTool({
    name,
    title: 'Import a project',
    description:
      'Reads a REFI-QDA package (.qdpx) of ATLAS.ti, MAXQDA, NVivo, QualCoder and others. Target new makes a project of it and opens that. Target current adds it to the open project: it shows first what it would do, and does it with confirm; codes, cases and attributes whose names are there are joined, sources get other names. Read losses.',
    input,
    data,
    marks: { destructiveHint: false, idempotentHint: false },
    level: 'T3',
    needsConfirm: () => true,
    timeoutMs: exchangeMs,
    apart: {
      isMeant: ({ target }) => target === 'new',
      answer: (asked, call) => importNew(parts, asked, call),
    },
    prepare: async (asked, { project, context: { signal } }) => {
      if (asked.project_path !== undefined)
        throw new QdaFailure('INVALID_ARGUMENT', 'project_path is for target "new" only; leave it out', {
          details: { path: 'project_path' },
        })
      const path = await importFile(asked.path, config.roots, ['.qdpx'])
      const withFiles = isDone(asked) && project.whyReadOnly === undefined
      return { project, import: await prepareImport(path, { project, signal, withFiles }) }
    },
    basis: (_, __, prepared) => prepared.import.file,
    apply: (writer, _, __, prepared) => {
      const { counts, losses } = importHere(writer, prepared.import)
      const { sources, codings } = counts.created
      writer.summary = `Imported ${sources} sources and ${codings} codings`
      return { target: 'current' as const, ...importedData(counts, losses) }
    },
    release: ({ project, import: prepared }) => releaseImport(project, prepared),
  })
}

/** Neither a preview nor a dry run. */
function isDone(asked: Input): boolean {
  const { confirm, dry_run } = asked as Input & { readonly confirm?: boolean; readonly dry_run?: boolean }
  return confirm === true && dry_run !== true
}

async function importNew(parts: ToolParts, asked: Input, call: Call): Promise<Answered> {
  const { store, config, clock } = parts
  const isDryRun = (asked as Input & { readonly dry_run?: boolean }).dry_run === true
  const identity = identityOf(asked, call)
  const known = await replies.find(store.db, identity, call.now)
  if (known !== undefined) return { ...known, replayed: true }
  const file = await importFile(asked.path, config.roots, ['.qdpx'])
  const place = await newProjectAt(asked.project_path ?? file.replace(/\.qdpx$/i, '.qda'), config.roots)
  const { counts, losses } = await importAsNew({ file, place, isDryRun, call, clock })
  const imported = { target: 'new' as const, ...importedData(counts, losses), change_set_id: null }
  if (isDryRun) return { ...imported, project_name: place.name, project_path: place.path, dry_run: true }
  const { project } = await enterProject(parts, call, place)
  const answer: Answered = { ...imported, ...openedProject(project), opened: true }
  await replies.keep(store.db, identity, answer, call.now)
  await pruneCallReplies(store.db, call.now, requestsPrunedMax)
  return answer
}

type Answered = z.output<typeof data> & {
  readonly change_set_id: null
  readonly dry_run?: true
  readonly replayed?: true
}

const replies = new CallReplies<QdaSchema, Answered>(
  () =>
    new QdaFailure(
      'REQUEST_ID_CONFLICT',
      `This request_id was used for another call of ${name}; take a new one for other arguments`,
    ),
)

function identityOf(asked: Input, { actor, context }: Call): CallIdentity {
  const { request_id: given, ...rest } = asked as Input & { readonly request_id?: string }
  return {
    principal: actor.name,
    tool: name,
    key: callKey(given ?? context.idempotencyKey),
    argumentsHash: hashOfJson(rest),
  }
}

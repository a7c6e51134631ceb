import { type CallIdentity, CallReplies, callKey, pruneCallReplies } from '@callboard/store'
import { hashOfJson } from '@callboard/worker/canonical-json'
import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { createProjectFolder } from '../format/create-project-folder.js'
import type { ProjectPath } from '../format/project-path.js'
import { newProjectAt } from '../format/project-path.js'
import { coderNameLengthMax, pathLengthMax, requestsPrunedMax } from '../limits.js'
import type { QdaSchema } from '../records/schema.js'
import { nameProblem } from '../text/name-problem.js'
import { dryRun, requestId } from './common-input.js'
import { enterProject, openedData, openedProject } from './enter-project.js'
import { type Call, freeTool, type QdaTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

const name = 'create_project'

const input = z.object({
  path: z.string().min(1).max(pathLengthMax).describe('Absolute path of the .qda folder to make'),
  coder_name: z.string().optional().describe('Who codes in QualCoder itself; default: you'),
  dry_run: dryRun,
  request_id: requestId,
})

const data = z.object({
  ...openedData,
  coder_name: z.string(),
  change_set_id: z.null(),
  dry_run: z.literal(true).optional(),
  replayed: z.literal(true).optional(),
})

export function createProjectTool(parts: ToolParts): QdaTool {
  const { config, store, log } = parts
  return freeTool({
    name,
    title: 'Create a project',
    description:
      'Makes a new QualCoder project and opens it, in place of the one that this session has open. Nothing may be at the path, but the folder around it must be there.',
    input,
    data,
    marks: { readOnlyHint: false },
    answer: async (asked, call) => {
      const identity = identityOf(asked, call)
      const known = await replies.find(store.db, identity, call.now)
      if (known !== undefined) return { ...known, replayed: true as const }
      const coder_name = coderName(asked.coder_name) ?? call.actor.coder
      const place = await newProjectAt(asked.path, config.roots)
      if (asked.dry_run) return { ...wouldBe(place), coder_name, change_set_id: null, dry_run: true as const }
      createProjectFolder(place, { coder: coder_name, now: call.now })
      log.info({ tool: name, actor: call.actor.name, project: place.path }, 'project created')
      const { project } = await enterProject(parts, call, place)
      const answer = { ...openedProject(project), coder_name, change_set_id: null }
      await replies.keep(store.db, identity, answer, call.now)
      await pruneCallReplies(store.db, call.now, requestsPrunedMax)
      return answer
    },
  })
}

const replies = new CallReplies<QdaSchema, z.output<typeof data>>(
  () =>
    new QdaFailure(
      'REQUEST_ID_CONFLICT',
      `This request_id was used for another call of ${name}; take a new one for other arguments`,
    ),
)

function identityOf(asked: z.output<typeof input>, { actor, context }: Call): CallIdentity {
  const { request_id: given, ...rest } = asked
  return {
    principal: actor.name,
    tool: name,
    key: callKey(given ?? context.idempotencyKey),
    argumentsHash: hashOfJson(rest),
  }
}

function coderName(given: string | undefined): string | undefined {
  const trimmed = given?.trim()
  if (!trimmed) return undefined
  const problem = nameProblem(trimmed, { lengthMax: coderNameLengthMax, slashes: 'allowed' })
  if (problem === undefined) return trimmed
  throw new QdaFailure('INVALID_ARGUMENT', `coder_name ${problem}`, { details: { path: 'coder_name' } })
}

const wouldBe = ({ name, path }: ProjectPath) => ({
  project_name: name,
  project_path: path,
  source_count: 0,
  schema_version: null,
  read_only: false,
  read_only_reason: null,
  warnings: [],
})

import { codeLevelsExportedMax } from '../limits.js'
import { allCategories } from '../project/categories.js'
import { allCodes } from '../project/codes.js'
import { colorOf } from '../project/colors.js'
import type { ProjectDatabase } from '../project/project-database.js'
import type { LossList } from '../refi/loss-list.js'
import type { RefiCode } from '../refi/model.js'
import { publicPart } from '../text/private-memo.js'
import type { ExportContext } from './export-context.js'
import { rowFingerprint } from './kept-guids.js'

export interface ExportedCodes {
  readonly codes: readonly RefiCode[]
  /** Of codes by their ids. */
  readonly guids: ReadonlyMap<number, string>
  readonly codeCount: number
  readonly categoryCount: number
}

/** Categories and codes as one forest, by name. */
export function exportCodes(context: Pick<ExportContext, 'project' | 'guids' | 'losses'>): ExportedCodes {
  const nodes = nodesOf(context)
  const codes = forestOf([...nodes.values()], context.losses)
  const ofCodes = [...nodes.values()].filter(({ code }) => code.isCodable)
  return {
    codes,
    guids: new Map(ofCodes.map(({ id, code }) => [id, code.guid])),
    codeCount: ofCodes.length,
    categoryCount: nodes.size - ofCodes.length,
  }
}

interface Node {
  readonly id: number
  readonly code: RefiCode & { readonly codes: RefiCode[] }
  readonly parent: Node | undefined
  readonly children: Node[]
}

type NewNode = { -readonly [Key in keyof Node]: Node[Key] } & { readonly parentKey: string | null }

function nodesOf({
  project: { db },
  guids,
  losses,
}: Pick<ExportContext, 'project' | 'guids' | 'losses'>): ReadonlyMap<string, Node> {
  const nodes = new Map<string, NewNode>()
  const dates = datesOfCategories(db)
  for (const { id, name, memo, owner, parent_id } of allCategories(db)) {
    const guid = guids.of('category', id, guids.kept.ofRow('category', id, rowFingerprint(owner, dates.get(id))))
    const code = { ...plain, guid, name: shownName(name), isCodable: false, description: publicPart(memo), codes: [] }
    const parentKey = parent_id === null ? null : `category ${parent_id}`
    nodes.set(`category ${id}`, { id, code, parentKey, parent: undefined, children: [] })
  }
  for (const { id, name, memo, owner, created_at, color, ...place } of allCodes(db)) {
    const guid = guids.of('code', id, guids.kept.ofRow('code', id, rowFingerprint(owner, created_at)))
    const shade = colorOf(color ?? '') ?? null
    if (color !== null && shade === null) losses.add('Code', guid, `its colour "${color.slice(0, 100)}"`)
    const code = {
      ...{ ...plain, guid, name: shownName(name), isCodable: true, color: shade, description: publicPart(memo) },
      codes: [],
    }
    nodes.set(`code ${id}`, { id, code, parentKey: parentKeyOf(place), parent: undefined, children: [] })
  }
  for (const node of nodes.values()) {
    node.parent = node.parentKey === null ? undefined : nodes.get(node.parentKey)
    node.parent?.children.push(node)
  }
  return nodes
}

const plain = { color: null, noteRefs: [] } as const

const shownName = (name: string): string => (name.trim() === '' ? 'Unnamed' : name)

function parentKeyOf(place: { readonly category_id: number | null; readonly parent_code_id: number | null }) {
  if (place.parent_code_id !== null) return `code ${place.parent_code_id}`
  return place.category_id === null ? null : `category ${place.category_id}`
}

/** Rings, which other programs leave, are cut; what is deeper than any reader goes stands at the top. */
function forestOf(nodes: readonly Node[], losses: LossList): readonly RefiCode[] {
  const roots: RefiCode[] = []
  const placed = new Set<Node>()
  for (const node of nodes) if (node.parent === undefined) plant(node, roots, placed, losses)
  for (const node of nodes) {
    if (placed.has(node)) continue
    losses.add('Code', node.code.guid, 'its place, for the codes above it form a ring')
    plant(node, roots, placed, losses)
  }
  return roots
}

function plant(root: Node, roots: RefiCode[], placed: Set<Node>, losses: LossList): void {
  roots.push(root.code)
  placed.add(root)
  let level: readonly Node[] = [root]
  for (let depth = 1; level.length > 0; depth += 1) {
    const next: Node[] = []
    for (const parent of level) {
      for (const child of parent.children) {
        if (placed.has(child)) continue
        placed.add(child)
        next.push(child)
        const isTooDeep = depth % codeLevelsExportedMax === 0
        if (isTooDeep) losses.add('Code', child.code.guid, `its place, more than ${codeLevelsExportedMax} levels down`)
        const siblings = isTooDeep ? roots : parent.code.codes
        siblings.push(child.code)
      }
    }
    level = next
  }
}

function datesOfCategories(db: ProjectDatabase): ReadonlyMap<number, string | null> {
  const rows = db.all<{ readonly id: number; readonly date: string | null }>(
    'SELECT catid AS id, CAST(date AS TEXT) AS date FROM main.code_cat',
  )
  return new Map(rows.map(({ id, date }) => [id, date]))
}

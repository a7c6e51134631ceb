import type { RefiContent, RefiPath, RefiProject, RefiSource, RefiText, RefiTranscript } from './model.js'
import { isRichText, textFileOf } from './write-sources.js'

export type PackageFile =
  /** Null where the text is not in the model. */
  | { readonly kind: 'text'; readonly name: string; readonly text: string | null }
  | { readonly kind: 'media'; readonly name: string }

/** The files that a project's document names within the package, each once. */
export function packageFiles(project: RefiProject): PackageFile[] {
  const files = new Map<string, PackageFile>()
  const texts = [...project.sources.flatMap(textsOf), ...project.notes]
  const media = [...project.sources.flatMap(mediaPathsOf), ...texts.flatMap(richTextPathOf)]
  for (const text of texts) addText(files, text)
  for (const { kind, path } of media) {
    if (kind === 'internal' && !files.has(path)) files.set(path, { kind: 'media', name: path })
  }
  return [...files.values()]
}

function textsOf(source: RefiSource): (RefiText | RefiTranscript)[] {
  switch (source.kind) {
    case 'text':
      return [source]
    case 'picture':
      return present([source.textDescription])
    case 'pdf':
      return present([...source.selections.map(({ representation }) => representation), source.representation])
    case 'audio':
    case 'video':
      return [...source.transcripts]
    default:
      return source satisfies never
  }
}

function mediaPathsOf(source: RefiSource): RefiPath[] {
  return source.kind === 'text' ? [] : present([source.path, source.currentPath])
}

function richTextPathOf({ richTextPath }: RefiText | RefiTranscript): RefiPath[] {
  return richTextPath !== null && isRichText(richTextPath) ? [richTextPath] : []
}

function addText(
  files: Map<string, PackageFile>,
  { guid, content }: { guid: string; content: RefiContent | null },
): void {
  if (content === null) return
  const { kind, path } = textFileOf({ guid, content })
  if (kind !== 'internal') return
  files.set(path, { kind: 'text', name: path, text: content.kind === 'inline' ? content.text : null })
}

function present<Item>(items: readonly (Item | null)[]): Item[] {
  return items.filter((item) => item !== null)
}

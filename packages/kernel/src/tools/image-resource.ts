import { type ResourcePart, type ResourceSpec, ToolError } from '@callboard/worker'
import { isImage } from '../output/rich-content.js'
import { readShown } from '../output/run-images.js'

export const imageTemplate = 'weave://runs/{run_id}/images/{n}'

export const imageSpec = {
  name: 'run-image',
  title: 'What a run has shown',
  description:
    'Image, drawing, table or text number n (from 1) that a run of yours has shown; results link to those that they do not hold.',
} satisfies ResourceSpec

/**
 * `folderOf` finds a run's folder among those of the caller's owner. Another owner's run, a run without images and a number that
 * was never given look the same.
 */
export async function readImage(
  uri: string,
  variables: { readonly [name: string]: string },
  folderOf: (runId: number) => Promise<string | undefined>,
): Promise<ResourcePart> {
  const [runId, n] = [positive(variables['run_id']), positive(variables['n'])]
  const folder = runId === undefined || n === undefined ? undefined : await folderOf(runId)
  const shown = folder === undefined ? undefined : await readShown(folder, n!)
  if (!shown) throw new ToolError('not_found', `You have nothing at ${uri}; it may have been removed with its run.`)
  const { mimeType, bytes } = shown
  return isImage(mimeType) ? { mimeType, blob: bytes.toString('base64') } : { mimeType, text: bytes.toString('utf8') }
}

/** One notation only, so that one thing has one address. */
function positive(digits: string | undefined): number | undefined {
  return digits !== undefined && /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : undefined
}

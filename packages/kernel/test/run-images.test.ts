import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineWorker } from '@callboard/worker'
import { connectForTest } from '@callboard/worker/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RunImages, readShown, shownContent } from '../src/output/run-images.js'
import { imageSpec, imageTemplate, readImage } from '../src/tools/image-resource.js'
import { startPython } from './support/python.js'

let parent: string
let folder: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'callboard-images-test-'))
  folder = join(parent, 'run-7')
})
afterEach(() => rm(parent, { recursive: true, force: true }))

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const bundle = (data: { readonly [type: string]: unknown }) => ({ data, metadata: {} })

async function fill(...bundles: readonly { readonly [type: string]: unknown }[]): Promise<RunImages> {
  const images = new RunImages(folder)
  for (const data of bundles) images.add(bundle(data))
  await images.settled()
  return images
}

describe('the images of a run', () => {
  it('make no folder while there are none', async () => {
    await fill({ 'application/x-own': 1 })
    expect(existsSync(folder)).toBe(false)
    expect(await shownContent(folder, 7)).toEqual([])
  })

  it('are a reply from their folder alone, in order, as after a restart', async () => {
    await fill(
      { 'image/png': png.toString('base64') },
      { 'text/plain': 'a', 'text/html': '<a>' },
      { 'text/markdown': '**é**' },
    )
    expect(await shownContent(folder, 7)).toEqual([
      { type: 'image', data: png.toString('base64'), mimeType: 'image/png' },
      { type: 'text', text: 'a' },
      expect.objectContaining({ type: 'resource_link', uri: 'weave://runs/7/images/3', mimeType: 'text/html' }),
      { type: 'text', text: '**é**' },
    ])
    expect(await readShown(folder, 3)).toEqual({ mimeType: 'text/html', bytes: Buffer.from('<a>') })
    expect(await readShown(folder, 5)).toBeUndefined()
  })

  it('are bounded in number and bytes, and count what has no room', async () => {
    const many = await fill(...Array.from({ length: 250 }, () => ({ 'text/plain': 'x' })))
    expect([many.count, many.lost]).toEqual([202, 48])
    const large = { 'image/png': Buffer.concat([png, Buffer.alloc(2_900_000)]).toString('base64') }
    await rm(folder, { recursive: true })
    const heavy = await fill(...Array.from({ length: 20 }, () => large))
    expect([heavy.count, heavy.lost]).toEqual([11, 9])
  })

  it('are lost, and no failure of the run, when the disk does not take them', async () => {
    await writeFile(folder, 'in the way')
    expect((await fill({ 'text/plain': 'x' })).lost).toBe(1)
    expect(await shownContent(folder, 7)).toEqual([])
  })

  it('are what Python has shown, also when the run was stopped', async () => {
    await using python = await startPython()
    await python.run(
      `from callboard_kernel.display import display
import struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
class Pixel:
    def _repr_png_(self):
        head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
        return b"\\x89PNG\\r\\n\\x1a\\n" + head + chunk(b"IDAT", zlib.compress(b"\\0\\0")) + chunk(b"IEND", b"")
class Drawing:
    def __repr__(self): return "a drawing"
    def _repr_svg_(self): return "<svg/>"`,
    )
    const { run, ended } = await python.begin(
      'display(Pixel(), Drawing())\nprint(1, flush=True)\nimport time; time.sleep(60)',
    )
    python.runtime.interrupt(run)
    expect(await ended).toMatchObject({ outcome: 'interrupted' })
    await fill(...python.shown.map(({ data }) => data))
    expect(await shownContent(folder, run)).toMatchObject([
      { type: 'image', mimeType: 'image/png' },
      { type: 'text', text: 'a drawing' },
      { type: 'resource_link', uri: 'weave://runs/2/images/3', mimeType: 'image/svg+xml' },
    ])
  })

  it('ignore files that are not theirs', async () => {
    await fill({ 'text/plain': 'x' })
    await writeFile(join(folder, 'images', '2.exe'), '')
    await writeFile(join(folder, 'images', '../3.png'), '')
    expect(await shownContent(folder, 7)).toHaveLength(1)
  })
})

describe('as resources', () => {
  it('are read by their owner, and by nobody else: there is nothing, whatever the reason', async () => {
    await fill({ 'image/png': png.toString('base64') }, { 'image/svg+xml': '<svg/>' })
    const worker = defineWorker({ service: 'kernel', version: '1' }).resourceTemplate(
      imageTemplate,
      imageSpec,
      (uri, variables, { caller }) =>
        readImage(uri, variables, async (run) =>
          (caller.onBehalfOf ?? caller.principal) === 'agent:owner' && run === 7 ? folder : undefined,
        ),
    )
    const link = await connectForTest(worker)
    const owner = { principal: 'agent:owner' }
    expect(await link.readResource('weave://runs/7/images/1', owner)).toEqual([
      { uri: 'weave://runs/7/images/1', mimeType: 'image/png', blob: png.toString('base64') },
    ])
    expect(await link.readResource('weave://runs/7/images/2', owner)).toMatchObject([
      { mimeType: 'image/svg+xml', text: '<svg/>' },
    ])
    for (const [path, options] of [
      ['7/images/3', owner],
      ['7/images/0', owner],
      ['7/images/01', owner],
      ['7/images/..%2F1', owner],
      ['8/images/1', owner],
      ['x/images/1', owner],
      ['7/images/1', { principal: 'agent:other' }],
      ['7/images/1', { principal: 'agent:owner', onBehalfOf: 'agent:other' }],
    ] as const) {
      const failure = await link.readResource(`weave://runs/${path}`, options).catch((error: unknown) => error)
      expect(String((failure as Error).message), path).toMatch(/not found|nothing at/i)
    }
    await link.close()
  })
})

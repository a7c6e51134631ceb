import { crc32, deflateRawSync } from 'node:zlib'

export interface RawFile {
  readonly name: string
  readonly data: Buffer | string
  /** The mode of Unix, e.g. of a link. */
  readonly mode?: number
  readonly encrypted?: boolean
  readonly method?: 0 | 8 | 99
  /** What the package says, where it is not so. */
  readonly saysBytes?: number
  readonly saysChecksum?: number
  /** Reads the bytes of the file with this index instead of its own. */
  readonly at?: number
}

/** A ZIP byte by byte, for those that no library writes. */
export function rawZip(files: readonly RawFile[]): Buffer {
  const offsets: number[] = []
  const locals: Buffer[] = []
  const records: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const packed = packedData(file)
    offsets.push(file.at === undefined ? offset : offsets[file.at]!)
    records.push(record(file, packed, offsets.at(-1)!))
    if (file.at !== undefined) continue
    const local = Buffer.concat([localHeader(file, packed), packed])
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(records)
  return Buffer.concat([...locals, directory, endRecord(files.length, directory.length, offset)])
}

function packedData({ data, method = 8 }: RawFile): Buffer {
  return method === 8 ? deflateRawSync(data) : Buffer.from(data)
}

/** The eleven fields that both headers of a file share. */
function sharedFields(file: RawFile, packed: Buffer): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(file.encrypted === true ? 0x801 : 0x800, 2)
  fields.writeUInt16LE(file.method ?? 8, 4)
  fields.writeUInt32LE(file.saysChecksum ?? crc32(Buffer.from(file.data)), 10)
  fields.writeUInt32LE(packed.length, 14)
  fields.writeUInt32LE(file.saysBytes ?? Buffer.byteLength(file.data), 18)
  fields.writeUInt16LE(Buffer.byteLength(file.name), 22)
  return fields
}

function localHeader(file: RawFile, packed: Buffer): Buffer {
  return Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), sharedFields(file, packed), Buffer.from(file.name)])
}

function record(file: RawFile, packed: Buffer, offset: number): Buffer {
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(((file.mode ?? 0) << 16) >>> 0, 6)
  rest.writeUInt32LE(offset, 10)
  const madeBy = Buffer.from([20, 3])
  return Buffer.concat([
    Buffer.from('PK\u0001\u0002', 'latin1'),
    madeBy,
    sharedFields(file, packed),
    rest,
    Buffer.from(file.name),
  ])
}

function endRecord(count: number, bytes: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(bytes, 12)
  end.writeUInt32LE(offset, 16)
  return end
}

import { constants, openSync } from 'node:fs'
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'
import { exitDrainMs, fifoReadBytes } from '../limits.js'
import { within } from '../within.js'

/** Reads what is left; a program that left the group may hold a FIFO open, so not for ever. */
export async function drained(streams: readonly Socket[]): Promise<void> {
  const closed = streams.map((stream) =>
    stream.destroyed ? undefined : new Promise((resolve) => stream.once('close', resolve)),
  )
  await within(exitDrainMs, Promise.all(closed))
  for (const stream of streams) stream.destroy()
}

/**
 * Non-blocking and by the event loop: blocking reads would use up the threads of Node's file system calls. Into one buffer,
 * valid during the call only: a new one for each chunk would let the worker grow by tens of megabytes before they are freed.
 */
export function readFifo(path: string, onChunk: (chunk: Buffer) => void): Socket {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const buffer = Buffer.allocUnsafeSlow(fifoReadBytes)
  const onread: OnReadOpts = {
    buffer,
    callback: (length) => {
      onChunk(buffer.subarray(0, length))
      return true
    },
  }
  // Documented for sockets of any kind, but not in the types.
  const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
    fd: descriptor,
    readable: true,
    writable: false,
    onread,
  }
  const stream = new Socket(options)
  stream.resume()
  stream.on('error', () => stream.destroy())
  return stream
}

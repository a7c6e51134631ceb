// Writes 100 MB to each of its streams, with a first and a last line of its own.
import { writeSync } from 'node:fs'

const chunk = Buffer.alloc(1_000_000, 'a line of output that says nothing at all\n')
for (const stream of [1, 2]) {
  write(stream, 'FIRST\n')
  for (let sent = 0; sent < 100; sent += 1) write(stream, chunk)
  write(stream, 'LAST\n')
}

function write(stream, data) {
  let rest = Buffer.from(data)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(stream, rest))
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}

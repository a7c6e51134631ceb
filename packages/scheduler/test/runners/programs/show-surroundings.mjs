// Prints what it was started with.
import { text } from 'node:stream/consumers'

const prompt = await text(process.stdin)
const { argv, env } = process
process.stdout.write(JSON.stringify({ arguments: argv.slice(2), environment: env, directory: process.cwd(), prompt }))

// Plays an agent that takes long: its first attempt waits for the file `go`, or for `leave`, before which it says nothing more;
// later ones end at once. Whatever it finds in its environment and whatever it is answered lies in files of its directory.
import { spawn } from 'node:child_process'
import { existsSync, watch } from 'node:fs'
import { text } from 'node:stream/consumers'
import { openAgent, writeWhole } from './agent.mjs'

const prompt = await text(process.stdin)
const [, attempt] = /^Attempt: (\d+)$/m.exec(prompt)
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
writeWhole(`attempt-${attempt}.json`, { pid: process.pid, child: child.pid, prompt, environment: process.env })
if (attempt === '1') {
  const agent = await openAgent()
  writeWhole('before.json', await agent.call('send_message', { text: 'before', priority: 'log' }))
  const word = await untilThere(['go', 'leave'])
  if (word === 'go') writeWhole('after.json', await agent.call('send_message', { text: 'after', priority: 'log' }))
  agent.close()
}
process.stdout.write(`attempt ${attempt} is done`, () => process.exit(0))

function untilThere(files) {
  return new Promise((resolve) => {
    const watcher = watch('.', look)
    function look() {
      const file = files.find((each) => existsSync(each))
      if (file === undefined) return
      watcher.close()
      resolve(file)
    }
    look()
  })
}

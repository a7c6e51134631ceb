// Takes the lock of the directory argv[2], as a hub does, and says so; then holds it until it is ended.
import { takeLock } from '../../dist/lock.js'

try {
  await takeLock(`${process.argv[2]}/hub.lock`)
  setInterval(() => undefined, 60_000)
  process.send('locked')
} catch (error) {
  process.send(error.constructor.name)
  process.disconnect()
}

import { EventEmitter } from 'node:events'

/**
 * A replacement for `process.parentPort` of a utility process: messages before the first listener are queued, and a
 * listener keeps the process alive.
 */
const port = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => {
    process.send?.({ data: message })
  },
})
port.once('newListener', () => {
  process.on('message', (event) => {
    port.emit('message', event)
  })
  process.channel?.ref()
})
Object.defineProperty(process, 'parentPort', { value: port satisfies Pick<Electron.ParentPort, 'postMessage'> })
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.channel?.unref()

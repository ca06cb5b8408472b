import { atWork, nextRelease } from '../next-release.ts'

/**
 * A program of the next release that migrates the database of a data folder and is killed: what it wrote stands in the
 * write-ahead log alone. `node update-and-die.ts FOLDER READABLE_FROM`.
 */
const [folder = '', readableFrom = '1'] = process.argv.slice(2)
await atWork(folder, nextRelease(undefined, Number(readableFrom)), () => {
  process.kill(process.pid, 'SIGKILL')
})

import { withLane, nextRelease } from '../next-release.ts'

/**
 * Migrates the database of a data folder as the next release does and kills its own process, so that the changes are
 * only in the write-ahead log: `node update-and-exit.ts FOLDER READABLE_FROM`.
 */
const [folder = '', readableFrom = '1'] = process.argv.slice(2)
await withLane(folder, nextRelease(undefined, Number(readableFrom)), () => {
  process.kill(process.pid, 'SIGKILL')
})

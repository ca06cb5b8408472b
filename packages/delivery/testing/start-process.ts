import { readFileSync } from 'node:fs'
import { openBundleStore } from '../bundle-store.ts'
import { firstTrust } from '../trust.ts'

/**
 * Program that runs one start of a lane, and prints the active profile and the error of a failing disk. Arguments:
 * folder, keys, time.
 */
const [dataFolder = '', trustFile = '', now = ''] = process.argv.slice(2)
const trust = firstTrust(readFileSync(trustFile))
if (trust === null) throw new Error('no trust')
let failure = ''
const active = openBundleStore(dataFolder, trust).atStart(new Date(now), {
  notify: (notice) => (failure = notice.kind === 'left' ? String(notice.error.message) : failure),
})
console.log(`${typeof active === 'string' ? active : readFileSync(active.profileFile, 'utf8')}\n${failure}`)

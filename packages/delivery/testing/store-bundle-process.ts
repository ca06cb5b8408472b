import { readFileSync } from 'node:fs'
import { openBundleStore } from '../bundle-store.ts'
import { firstTrust } from '../trust.ts'

/**
 * Program that stores one bundle on a lane when a line arrives on standard input, so that several processes can do so
 * in parallel. Arguments: data folder, list of trusted keys, bundle. Prints the result.
 */
const [dataFolder = '', trustFile = '', bundle = ''] = process.argv.slice(2)
const trust = firstTrust(readFileSync(trustFile))
if (trust === null) throw new Error('no trust')
const bundleStore = openBundleStore(dataFolder, trust)
console.log('ready')
process.stdin.once('data', () => {
  const put = bundleStore.put(bundle, null, new Date())
  console.log(put.kind === 'refused' ? put.why : put.kind)
  process.exit()
})

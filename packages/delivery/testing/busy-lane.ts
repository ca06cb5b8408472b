import { openBundleStore } from '../bundle-store.ts'
import { firstTrust } from '../trust.ts'
import { readFileSync } from 'node:fs'

/**
 * Program that stores, activates and undoes bundles continuously until it is killed. Arguments: the data folder, the
 * list of trusted keys, and the bundles, oldest first. Prints `ready` at the start.
 */
const [dataFolder = '', trustFile = '', ...bundles] = process.argv.slice(2)
const trust = firstTrust(readFileSync(trustFile))
if (trust === null) throw new Error('no trust')
const bundleStore = openBundleStore(dataFolder, trust)
const lane = { store: '1001', lane: '01', mode: 'training' } as const

console.log('ready')
for (;;) {
  for (const bundle of bundles) {
    bundleStore.put(bundle, lane, new Date())
    bundleStore.atStart(new Date())
    bundleStore.undo(new Date())
    bundleStore.atStart(new Date())
  }
}

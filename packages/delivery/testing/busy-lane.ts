import { openShelf } from '../shelf.ts'
import { ownTrust } from '../trust.ts'
import { readFileSync } from 'node:fs'

/**
 * A lane on which bundles are put, sold by and undone without a pause, until it is killed. Arguments: the data folder,
 * the list of trusted keys, and the bundles, the oldest first. A line for each thing that was done.
 */
const [dataFolder = '', trustFile = '', ...bundles] = process.argv.slice(2)
const trust = ownTrust(readFileSync(trustFile))
if (trust === null) throw new Error('no trust')
const shelf = openShelf(dataFolder, trust)
const lane = { store: '1001', lane: '01', mode: 'training' } as const

console.log('ready')
for (;;) {
  for (const bundle of bundles) {
    shelf.put(bundle, lane, new Date())
    shelf.atStart(new Date())
    shelf.undo(new Date())
    shelf.atStart(new Date())
  }
}

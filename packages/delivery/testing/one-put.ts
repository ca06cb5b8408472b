import { readFileSync } from 'node:fs'
import { openShelf } from '../shelf.ts'
import { ownTrust } from '../trust.ts'

/**
 * Puts one bundle on a lane as soon as a line comes on its standard input, so that several do so at once. Data folder,
 * list of trusted keys and bundle are given; what became of it is said.
 */
const [dataFolder = '', trustFile = '', bundle = ''] = process.argv.slice(2)
const trust = ownTrust(readFileSync(trustFile))
if (trust === null) throw new Error('no trust')
const shelf = openShelf(dataFolder, trust)
console.log('ready')
process.stdin.once('data', () => {
  const put = shelf.put(bundle, null, new Date())
  console.log(put.kind === 'refused' ? put.why : put.kind)
  process.exit()
})

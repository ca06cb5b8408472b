import { readFileSync } from 'node:fs'
import { openShelf } from '../shelf.ts'
import { ownTrust } from '../trust.ts'

/** One start of a lane: the profile that it sells by, then what it had to leave. Folder, keys and time are given. */
const [dataFolder = '', trustFile = '', now = ''] = process.argv.slice(2)
const trust = ownTrust(readFileSync(trustFile))
if (trust === null) throw new Error('no trust')
let left = ''
const sold = openShelf(dataFolder, trust).atStart(new Date(now), {
  tell: (news) => (left = news.kind === 'left' ? String(news.error.message) : left),
})
console.log(`${typeof sold === 'string' ? sold : readFileSync(sold.profileFile, 'utf8')}\n${left}`)

import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ForeignFact } from '../../../../contracts/store/protocol.ts'
import type { StoreFiles } from '../../../../backend/catalog/fetch-catalog.ts'
import { openCatalogLane } from '../catalog-lane.ts'

/**
 * A lane that applies the catalog facts and files of its store from a folder and kills its own process at a step, like
 * a power cut. `node store-catalog.ts FOLDER GIVEN committing|committed N` kills in the Nth transaction, or after its
 * commit. Without a step the lane runs until it is up to date and prints the number of its transactions.
 */
const [folder = '', given = '', when = '', at = '0'] = process.argv.slice(2)
let commits = 0
const crash = (step: string): void => {
  if (step === 'committing') commits += 1
  if (step === when && commits === Number(at)) process.kill(process.pid, 'SIGKILL')
}

const files: StoreFiles = {
  missing: async () => [],
  send: async () => 'whole',
  fetch: async (hash, number) => {
    const name = `${hash}.${number}`
    return readdirSync(given).includes(name) ? readFileSync(join(given, name)) : 'retry'
  },
  sold: async () => true,
}
mkdirSync(folder, { recursive: true })
const begins = z.array(z.string()).parse(JSON.parse(readFileSync(join(given, 'begins.json'), 'utf8')))
const facts = z.array(ForeignFact).parse(JSON.parse(readFileSync(join(given, 'facts.json'), 'utf8')))
const lane = await openCatalogLane(3, {
  files,
  profileRows: begins,
  folder,
  watch: { committing: () => crash('committing'), committed: () => crash('committed') },
})
for (const fact of facts) lane.applyPulled(fact)
if (!(await lane.idle())) throw new Error('the catalog file is missing')
await lane.close()
process.stdout.write(`${commits}\n`)

import { systemClock } from '../../../backend/core/clock.ts'
import { claimDataFolder } from '../../../backend/core/program/data-folder.ts'
import { openDatabase } from '../../../backend/core/db/database.ts'
import { adopt } from '../../../backend/core/integrity/state.ts'
import { followChanges } from '../../../backend/core/integrity/evidence.ts'
import { createChain } from '../../../backend/core/outbox/chain.ts'
import { openHighWaterMark } from '../../../backend/core/outbox/high-water.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'

/**
 * Benchmarks lay years of sales into a stopped terminal's database, past the program: this takes what they laid into
 * the key's care, as if the program had written it. `node packages/lab/testing/take-into-care.ts FOLDER`; never in a
 * package.
 */
const [folderPath] = process.argv.slice(2)
if (folderPath === undefined) throw new Error('usage: take-into-care.ts FOLDER')
const folder = claimDataFolder(folderPath, null, null)
const seal = createSeal(folder.masterKey)
const db = openDatabase(folder.database)
db.transaction(() => {
  adopt(db, seal)
}).immediate()
const mark = openHighWaterMark(folder.journalMark, systemClock, seal)
mark.note(createChain({ db, seal, evidence: followChanges(db, seal) }).end())
mark.close()
db.close()
folder.release()

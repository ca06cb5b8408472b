import { systemClock } from '../../../backend/core/clock.ts'
import { lockDataFolder } from '../../../backend/core/program/data-folder.ts'
import { openDatabase } from '../../../backend/core/db/database.ts'
import { adopt } from '../../../backend/core/integrity/state.ts'
import { followChanges } from '../../../backend/core/integrity/evidence.ts'
import { createChain } from '../../../backend/core/outbox/chain.ts'
import { openHighWaterMark } from '../../../backend/core/outbox/high-water.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'

/**
 * Seals the digests of rows that a benchmark has written directly into a stopped terminal’s database, as if the
 * terminal had written the rows. Usage: `node packages/lab/testing/seal-rows.ts FOLDER`. No package contains this file.
 */
const [folderPath] = process.argv.slice(2)
if (folderPath === undefined) throw new Error('usage: seal-rows.ts FOLDER')
const folder = lockDataFolder(folderPath, null, null)
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

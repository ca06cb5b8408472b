import type { Postgres } from '../db/postgres.ts'
import { readKeyFile } from './key-file.ts'

/** Reads the key that the lanes of the store share. Throws an Error in plain words. */
export const readSealKey = (folder: string, postgres: Postgres): Promise<Buffer> =>
  readKeyFile(folder, postgres, {
    file: 'store.key',
    table: 'seal_key',
    purpose: 'milepost store key',
    missing: ['storeKeyMissing', 'storeKeyMissingDo'],
    wrong: ['storeKeyWrong', 'storeKeyDo'],
    ofOther: ['storeKeyOfOther', 'storeKeyDo'],
  })

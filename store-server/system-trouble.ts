import { CATALOGS } from '../contracts/i18n/catalogs.ts'
import { perLocale } from '../contracts/i18n/languages.ts'
import { LocalizedError } from '../contracts/localized-error.ts'
import { sayRefusal } from '../contracts/refusal.ts'
import { storageTrouble } from '../contracts/storage-trouble.ts'
import { refused } from './words.ts'

interface Asked {
  readonly data: string
  readonly host?: string
  readonly port?: number
}

const OF_ADDRESS: ReadonlySet<string> = new Set(['listen', 'getaddrinfo'])

/** What the system has refused this command, in words; any other error as it is. */
export function ofSystem(error: unknown, { data, host = '', port = 0 }: Asked): unknown {
  // A port that this user may not have is no trouble of the folder.
  if (error instanceof Error && 'syscall' in error && 'code' in error && OF_ADDRESS.has(String(error.syscall)))
    return refused('cannotListen', { address: `${host}:${port}`, code: String(error.code) }, { cause: error })
  const trouble = storageTrouble(data, error)
  if (trouble === null) return error
  const messages = perLocale((locale) => sayRefusal(trouble.refusal, CATALOGS[locale].starting))
  return new LocalizedError(messages, { cause: error })
}

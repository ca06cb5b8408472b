import { CASH_RESPONSE_CODES } from '../../contracts/central/cash.ts'
import { ISSUANCE_ERROR_CODES } from '../../contracts/central/issuance.ts'
import { plainText } from './receipt-layout.ts'

/** More than any terminal's display holds is no message to a cashier. */
const LONGEST = 160

/**
 * The messages of the tables of codes (specification 3 §7.1, §7.2): English whatever was asked for, and in our own
 * words on every screen.
 */
const OF_THE_TABLES: ReadonlySet<string> = new Set(
  [...Object.values(CASH_RESPONSE_CODES), ...Object.values(ISSUANCE_ERROR_CODES)].map(({ message }) =>
    message.toLowerCase(),
  ),
)

/**
 * What the program says beside its code, in the language that `instantMessage` asked for (specification 3 §2.4); null
 * where that is nothing, or the table's own message. Text and nothing else: it goes to a screen.
 */
export function centralMessage({ message }: { readonly message?: string | null | undefined }): string | null {
  const said = plainText(message ?? '').slice(0, LONGEST)
  return said === '' || OF_THE_TABLES.has(said.toLowerCase().replace(/\.$/, '')) ? null : said
}

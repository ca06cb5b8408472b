import type { Books } from './books.ts'
import { checkDays } from './days.ts'
import type { Find, Finding } from './finding.ts'
import type { PrintedDocument } from './documents.ts'
import { checkReturns } from './returns.ts'
import { checkSales } from './sales.ts'
import { checkVouchers } from './vouchers.ts'

/**
 * Checks a store for losses and duplicates, only from its database and the printed documents, without the lanes and
 * their drivers. Returns nothing if there is no error.
 */
export function judge(books: Books, papers: readonly PrintedDocument[]): Finding[] {
  const found: Finding[] = []
  const find: Find = (rule, what) => void found.push({ rule, what })
  checkStreams(books, find)
  checkSales(books, papers, find)
  checkReturns(books, papers, find)
  checkVouchers(books, papers, find)
  checkDays(books, papers, find)
  return found
}

/**
 * Kinds of facts that a lane pushes only once. An operation is pushed in each final state, and when a person resolves
 * it.
 */
const PUSHED_ONCE: ReadonlySet<string> = new Set([
  'sale',
  'return',
  'shift',
  'z-report',
  'voucher-entry',
  'voucher-use',
])
/** Kinds of facts whose subject is unique in the store. The subject of a shift is not: each lane has a shift 3. */
const OF_STORE: ReadonlySet<string> = new Set(['sale', 'return'])

function checkStreams({ streams, quarantined, violations, facts }: Books, find: Find): void {
  for (const { name, lane, applied, seqs } of streams) {
    const gap = seqs.findIndex((seq, index) => seq !== index + 1)
    if (gap >= 0) find('no-gaps', `stream ${name} of lane ${lane} has no fact ${gap + 1}`)
    if (seqs.length !== applied)
      find('no-gaps', `lane ${lane}: ${applied} facts are applied, but ${seqs.length} are stored`)
  }
  for (const { lane, seq, reason } of quarantined) find('none-quarantined', `lane ${lane}, ${seq}: ${reason}`)
  for (const row of violations) find('violation-views', row)
  const seen = new Set<string>()
  for (const { lane, kind, subject } of facts) {
    if (!PUSHED_ONCE.has(kind)) continue
    const key = `${kind} ${subject}${OF_STORE.has(kind) ? '' : ` of lane ${lane}`}`
    if (seen.has(key)) find('pushed-once', `${key} was pushed twice`)
    seen.add(key)
  }
}

import type { Books } from './books.ts'
import { daysWrong } from './days.ts'
import type { Find, Finding } from './finding.ts'
import type { Paper } from './papers.ts'
import { returnsWrong } from './returns.ts'
import { salesWrong } from './sales.ts'
import { vouchersWrong } from './vouchers.ts'

/**
 * Whether a store has lost or doubled anything, by its database and what its lanes printed alone: neither the lanes nor
 * who drove them are asked. Empty where all is well.
 */
export function judge(books: Books, papers: readonly Paper[]): Finding[] {
  const found: Finding[] = []
  const find: Find = (rule, what) => void found.push({ rule, what })
  streamsWrong(books, find)
  salesWrong(books, papers, find)
  returnsWrong(books, papers, find)
  vouchersWrong(books, papers, find)
  daysWrong(books, papers, find)
  return found
}

/** Kinds of facts that are told of once; an operation is told of each time that it comes to rest. */
const TOLD_ONCE: ReadonlySet<string> = new Set(['sale', 'return', 'shift', 'z-report', 'voucher-entry', 'voucher-use'])
/** Kinds whose subject is the store’s; a shift 3 there is at every lane. */
const OF_STORE: ReadonlySet<string> = new Set(['sale', 'return'])

function streamsWrong({ streams, aside, wrong, facts }: Books, find: Find): void {
  for (const { name, lane, applied, seqs } of streams) {
    const gap = seqs.findIndex((seq, index) => seq !== index + 1)
    if (gap >= 0) find('gapless', `stream ${name} of lane ${lane} misses ${gap + 1}`)
    if (seqs.length !== applied) find('gapless', `lane ${lane}: ${applied} are applied, ${seqs.length} are there`)
  }
  for (const { lane, seq, reason } of aside) find('nothing-aside', `lane ${lane}, ${seq}: ${reason}`)
  for (const row of wrong) find('own-views', row)
  const seen = new Set<string>()
  for (const { lane, kind, subject } of facts) {
    if (!TOLD_ONCE.has(kind)) continue
    const key = `${kind} ${subject}${OF_STORE.has(kind) ? '' : ` of lane ${lane}`}`
    if (seen.has(key)) find('told-once', `${key} is told of twice`)
    seen.add(key)
  }
}

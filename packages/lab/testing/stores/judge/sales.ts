import type { Books } from './books.ts'
import type { Find } from './finding.ts'
import type { PrintedDocument } from './documents.ts'

type DocumentOf<Kind extends PrintedDocument['kind']> = Extract<PrintedDocument, { kind: Kind }>
export const documentsOf = <Kind extends PrintedDocument['kind']>(
  papers: readonly PrintedDocument[],
  kind: Kind,
): DocumentOf<Kind>[] => papers.filter((paper): paper is DocumentOf<Kind> => paper.kind === kind)

/**
 * Checks that each document matches a record with its amount, and that each record has exactly one original document.
 */
export function compareDocuments(
  kind: 'sale' | 'return',
  closed: ReadonlyMap<string, { readonly lane: string; readonly totalCents: number }>,
  papers: readonly PrintedDocument[],
  find: Find,
): void {
  const originals = new Map<string, number>()
  const seen = new Set<string>()
  for (const paper of documentsOf(papers, kind)) {
    const { id, lane, totalCents, isCopy } = paper
    seen.add(id)
    if (!isCopy) originals.set(id, (originals.get(id) ?? 0) + 1)
    const booked = closed.get(id)
    if (!booked) find('printed-in-books', `${kind} ${id} was printed at lane ${lane}, but the store does not have it`)
    else if (booked.totalCents !== totalCents || booked.lane !== lane)
      find(
        'printed-in-books',
        `${kind} ${id}: ${totalCents} printed at lane ${lane}, but ${booked.totalCents} booked at ${booked.lane}`,
      )
  }
  for (const [id, count] of originals) if (count > 1) find('one-original', `${kind} ${id} has ${count} originals`)
  for (const id of closed.keys()) if (!seen.has(id)) find('sale-printed', `${kind} ${id} was not printed`)
}

/** Matches the notes by which a sale that one lane holds is found when another lane resumes it. */
const HELD_NOTE = /^held \d+$/

export function checkSales(books: Books, papers: readonly PrintedDocument[], find: Find): void {
  const completed = books.sales.filter(({ state }) => state === 'completed')
  compareDocuments('sale', new Map(completed.map((sale) => [sale.id, sale])), papers, find)
  for (const { id, state, totalCents, tenders } of books.sales) {
    const paid = tenders.reduce((sum, { amountCents }) => sum + amountCents, 0)
    const due = state === 'completed' ? totalCents : 0
    if (paid !== due) find('sale-paid', `sale ${id} is ${state}: ${paid} cents paid of ${due}`)
  }
  const notes = new Set<string>()
  for (const { id, note } of completed) {
    if (note === null || !HELD_NOTE.test(note)) continue
    if (notes.has(note)) find('held-once', `the sale “${note}” was completed twice, the second time as ${id}`)
    notes.add(note)
  }
  checkMiles(books, find)
}

function checkMiles({ sales, operations }: Books, find: Find): void {
  const used = new Set<string>()
  for (const { id, state, tenders } of sales) {
    if (state !== 'completed') continue
    for (const { kind, operationId, amountCents, takesBack } of tenders) {
      if (kind !== 'miles' || takesBack !== null || amountCents <= 0 || operationId === null) continue
      if (tenders.some((other) => other.operationId === operationId && other.takesBack !== null)) continue
      if (used.has(operationId)) find('miles', `operation ${operationId} paid twice, the second time sale ${id}`)
      used.add(operationId)
      const approved = operations.get(operationId)?.amountCents
      if (approved !== amountCents) find('miles', `sale ${id}: ${amountCents} cents by miles, approved ${approved}`)
    }
  }
}

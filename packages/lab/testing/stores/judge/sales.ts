import type { Books } from './books.ts'
import type { Find } from './finding.ts'
import type { Paper } from './papers.ts'

type PaperOf<Kind extends Paper['kind']> = Extract<Paper, { kind: Kind }>
export const papersOf = <Kind extends Paper['kind']>(papers: readonly Paper[], kind: Kind): PaperOf<Kind>[] =>
  papers.filter((paper): paper is PaperOf<Kind> => paper.kind === kind)

/** Papers that stand for one thing each: in the books with its amount, and one of them no copy. */
export function comparePapers(
  kind: 'sale' | 'return',
  closed: ReadonlyMap<string, { readonly lane: string; readonly totalCents: number }>,
  papers: readonly Paper[],
  find: Find,
): void {
  const originals = new Map<string, number>()
  const seen = new Set<string>()
  for (const paper of papersOf(papers, kind)) {
    const { id, lane, totalCents, isCopy } = paper
    seen.add(id)
    if (!isCopy) originals.set(id, (originals.get(id) ?? 0) + 1)
    const told = closed.get(id)
    if (!told) find('paper-in-books', `${kind} ${id} is on paper at lane ${lane}, and the store does not know it`)
    else if (told.totalCents !== totalCents || told.lane !== lane)
      find(
        'paper-in-books',
        `${kind} ${id}: ${totalCents} on paper of lane ${lane}, ${told.totalCents} of lane ${told.lane} in the books`,
      )
  }
  for (const [id, count] of originals) if (count > 1) find('paper-once', `${kind} ${id} has ${count} original papers`)
  for (const id of closed.keys()) if (!seen.has(id)) find('sale-on-paper', `${kind} ${id} is on no paper`)
}

/** Notes by which a sale is known again that was held at one lane and resumed at another. */
const HELD_NOTE = /^held \d+$/

export function salesWrong(books: Books, papers: readonly Paper[], find: Find): void {
  const completed = books.sales.filter(({ state }) => state === 'completed')
  comparePapers('sale', new Map(completed.map((sale) => [sale.id, sale])), papers, find)
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
  milesWrong(books, find)
}

/** What miles paid, an approval stands for: once. */
function milesWrong({ sales, operations }: Books, find: Find): void {
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

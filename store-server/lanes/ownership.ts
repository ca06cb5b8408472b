/** Location code, lane, eight digits and four characters of salt, as `backend/domain/sale-id.ts` makes them. */
const SALE_ID = /^[A-Z0-9]{1,4}(\d{2})\d{8}[A-Z0-9]{4}$/

/** The lane that the id of a sale or a return names, where that is another one. An id of another shape names none. */
export function otherLaneOf(lane: string, id: string): string | null {
  const named = SALE_ID.exec(id)?.[1] ?? lane
  return named === lane ? null : named
}

/** Throws where the id of a sale or a return names another lane. */
export function requireOwnId(lane: string, id: string): void {
  const other = otherLaneOf(lane, id)
  if (other !== null) throw new Error(`${id} is an id of lane ${other}`)
}

/** Throws where a row belongs to another lane, or where this lane has told something else under the same id. */
export function requireSame<Row extends { readonly lane: string }>(lane: string, id: string, was: Row, is: Row): void {
  if (was.lane !== lane) throw new Error(`${id} belongs to lane ${was.lane}`)
  if (JSON.stringify(was) !== JSON.stringify(is)) throw new Error(`lane ${lane} has told something else as ${id}`)
}

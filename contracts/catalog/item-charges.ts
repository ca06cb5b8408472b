// Without the schema library, so that screens can import this file.

export const CHARGE_ID = /^[a-z0-9][a-z0-9-]{0,39}$/
export const MAX_CONTAINERS = 99
/** Highest number of deposits and fees of one item, and of planned amounts of one of them. */
export const MAX_CHARGES = 6
export const MAX_CHARGE_CHANGES = 6

/** A deposit or fee of an item, and the number of containers in one piece of it. */
interface ItemCharge {
  readonly id: string
  readonly containers: number
}

const ITEM_CHARGE = /^([a-z0-9][a-z0-9-]{0,39})(?:\s*[x×*]\s*(\d{1,2}))?$/i

/**
 * Reads deposits and fees as they are typed and imported: ids separated by `|`, `;` or line ends, each with its number
 * of containers if that is not one. Returns undefined for another text, a repeated id, or more than `MAX_CHARGES`.
 */
export function readItemCharges(text: string): ItemCharge[] | undefined {
  const parts = text
    .split(/[|;\n\r]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const read = parts.flatMap((part) => {
    const [, id = '', containers = '1'] = ITEM_CHARGE.exec(part) ?? []
    return id !== '' && Number(containers) > 0 ? [{ id: id.toLowerCase(), containers: Number(containers) }] : []
  })
  const isUnique = new Set(read.map(({ id }) => id)).size === parts.length
  return isUnique && parts.length <= MAX_CHARGES ? read : undefined
}

/** Writes deposits and fees in the form that `readItemCharges` reads. */
export const writeItemCharges = (charges: readonly ItemCharge[]): string =>
  charges.map(({ id, containers }) => (containers === 1 ? id : `${id} x ${containers}`)).join(' | ')

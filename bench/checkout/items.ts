export interface BenchItem {
  readonly sku: string
  readonly barcode: string
  readonly name: string
}

const WORDS = [
  ['Apples', 'Pommes'],
  ['Bread', 'Pain'],
  ['Coffee', 'Café'],
  ['Detergent', 'Détersif'],
  ['Eggs', 'Œufs'],
  ['Flour', 'Farine'],
  ['Milk', 'Lait'],
  ['Soup', 'Soupe'],
  ['Tea', 'Thé'],
  ['Yogurt', 'Yogourt'],
] as const
const TAXES = ['standard', 'zero-rated', 'federal-only'] as const

export function itemAt(index: number): BenchItem {
  return { sku: `B${index}`, barcode: ean13(index), name: `${wordOf(index)[0]} no. ${String(index).padStart(9, '0')}` }
}

const wordOf = (index: number): readonly [string, string] => WORDS[index % WORDS.length] ?? WORDS[0]

/**
 * Returns the barcode of an item: prefix 628 is not used by coupons, books or price labels; check digit as in the GS1
 * General Specifications §7.9.
 */
function ean13(index: number): string {
  const twelve = `628${String(index).padStart(9, '0')}`
  let sum = 0
  for (const [at, digit] of [...twelve].entries()) sum += Number(digit) * (at % 2 === 0 ? 1 : 3)
  return twelve + String((10 - (sum % 10)) % 10)
}

export const centsOf = (index: number): number => 50 + ((index * 37) % 5_000)

export type PlaceOf = (index: number) => { readonly department: string; readonly category: string }

const ALL_TOGETHER: PlaceOf = () => ({ department: 'bench', category: '' })

/** Returns a catalog file: one line per item, prices from $0.50 to $50.49. */
export function catalogCsv(count: number, placeOf = ALL_TOGETHER): string {
  const lines = ['sku,barcode,name_en,name_fr,price,tax_category,department,category']
  for (let index = 0; index < count; index += 1) {
    const { sku, barcode, name } = itemAt(index)
    const { department, category } = placeOf(index)
    const price = (centsOf(index) / 100).toFixed(2)
    const names = `${name},${wordOf(index)[1]} nº ${index}`
    lines.push(`${sku},${barcode},${names},${price},${TAXES[index % 3] ?? 'standard'},${department},${category}`)
  }
  return `${lines.join('\n')}\n`
}

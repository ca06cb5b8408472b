import type { Promotion, PromotionItems } from '../../../contracts/catalog/promotions.ts'
import { matches, shareOf, type Candidate, type PromotableLine } from './promotion-index.ts'

/**
 * Number of attempts to form a set after which a search adds no further promotion to a combination and uses the best
 * one so far. Attempts are counted, not time, so that the result is always the same.
 */
const MAX_STEPS = 500

interface UnitClass {
  readonly unitCents: number
  readonly lines: readonly PromotableLine[]
  readonly quantity: number
  readonly measured: number
  /** The promotion without a limit that reduces a single unit most, or null. */
  readonly alternative: { readonly candidate: Candidate; readonly saving: number } | null
}

interface Choice {
  readonly candidate: Candidate
  readonly takes: readonly number[]
  readonly reduces: readonly number[]
}

interface FormedSet {
  readonly choice: Choice
  readonly units: ReadonlyMap<number, number>
  readonly reductions: ReadonlyMap<number, number>
  readonly gain: number
}

interface Reduction {
  readonly promotion: string
  readonly line: number
  readonly amountCents: number
}

/**
 * Returns the reductions of the best combination of these promotions that `Search` finds: the one with the largest
 * total in which each unit has at most one promotion.
 */
export function bestExclusive(candidates: readonly Candidate[]): Reduction[] {
  const classes = classesOf(candidates)
  const classOf = new Map(classes.flatMap(({ lines }, at) => lines.map((line) => [line, at] as const)))
  const choices = candidates
    .filter(({ promotion }) => needsChoice(promotion))
    .map((candidate) => choiceOf(candidate, classes, classOf))
  return reductionsOf(
    classes,
    componentsOf(choices).flatMap((component) => new Search(classes, component).best()),
  )
}

/** Groups choices that compete for the same units: each group can be searched alone. */
function componentsOf(choices: readonly Choice[]): Choice[][] {
  const components: { units: Set<number>; choices: Choice[] }[] = []
  for (const choice of choices) {
    const units = new Set([...choice.takes, ...choice.reduces])
    const joined = components.filter((other) => [...units].some((at) => other.units.has(at)))
    for (const other of joined) {
      for (const at of other.units) units.add(at)
      components.splice(components.indexOf(other), 1)
    }
    components.push({ units, choices: [...joined.flatMap((other) => other.choices), choice] })
  }
  return components.map((component) => component.choices)
}

const needsChoice = ({ reward, most }: Promotion): boolean =>
  reward.kind === 'set-price' || reward.kind === 'buy-get' || most !== undefined

/** Groups the units into classes, sorted by falling price, then item: the same result for every order of lines. */
function classesOf(candidates: readonly Candidate[]): UnitClass[] {
  const byLine = new Map<PromotableLine, Candidate[]>()
  for (const candidate of candidates)
    for (const line of candidate.lines) {
      const of = byLine.get(line)
      if (of === undefined) byLine.set(line, [candidate])
      else of.push(candidate)
    }
  const groups = new Map<string, { lines: PromotableLine[]; candidates: Candidate[] }>()
  for (const [line, of] of byLine) {
    const key = [line.sku, line.unitCents, line.measured, ...of.map(({ promotion }) => promotion.id)].join('\n')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { lines: [line], candidates: of })
    else group.lines.push(line)
  }
  return [...groups.entries()]
    .map(([key, { lines, candidates: of }]) => {
      const { unitCents = 0, measured = 1 } = lines[0] ?? {}
      const alternatives = of
        .filter(({ promotion }) => !needsChoice(promotion))
        .map((candidate) => ({ candidate, saving: unitSaving(candidate.promotion, unitCents, measured) }))
        .filter(({ saving }) => saving > 0)
        .toSorted((a, b) => b.saving - a.saving || (a.candidate.promotion.id < b.candidate.promotion.id ? -1 : 1))
      return {
        key,
        unitCents,
        measured,
        lines,
        quantity: lines.reduce((sum, { quantity }) => sum + quantity, 0),
        alternative: alternatives[0] ?? null,
      }
    })
    .toSorted((a, b) => b.unitCents - a.unitCents || (a.key < b.key ? -1 : 1))
}

/**
 * Returns the reduction of one unit in cents, with fractions, which `reductionsOf` rounds. Amounts of a measured unit
 * are per unit of measure, and rounded like its price.
 */
function unitSaving({ reward }: Promotion, unitCents: number, measured: number): number {
  switch (reward.kind) {
    case 'percent':
      return (unitCents * reward.ppm) / 1_000_000
    case 'amount':
      return Math.min(perMeasure(reward.cents, measured), unitCents)
    case 'price':
      return Math.max(0, unitCents - perMeasure(reward.cents, measured))
    default:
      return 0
  }
}

const perMeasure = (amount: number, measured: number): number =>
  measured === 1 ? amount : Math.floor(amount * measured + 0.5 + 1e-9)

function choiceOf(
  candidate: Candidate,
  classes: readonly UnitClass[],
  classOf: ReadonlyMap<PromotableLine, number>,
): Choice {
  const { items, reward } = candidate.promotion
  const own = new Set(candidate.lines.flatMap((line) => classOf.get(line) ?? []))
  const byValue = (which: PromotionItems, value: (unit: UnitClass) => number): number[] =>
    [...own]
      .flatMap((at) => {
        const unit = classes[at]
        const line = unit?.lines[0]
        return unit && line && matches(which, line) ? [{ at, value: value(unit) }] : []
      })
      .toSorted((a, b) => b.value - a.value || a.at - b.at)
      .map(({ at }) => at)
  const price = ({ unitCents }: UnitClass): number => unitCents
  const alternative = (unit: UnitClass): number => unit.alternative?.saving ?? 0
  if (reward.kind === 'buy-get')
    return reward.getItems === undefined
      ? { candidate, takes: byValue(items, price), reduces: [] }
      : {
          candidate,
          takes: byValue(items, (unit) => -alternative(unit)),
          reduces: byValue(reward.getItems, price),
        }
  if (reward.kind === 'set-price')
    return { candidate, takes: byValue(items, (unit) => unit.unitCents - alternative(unit)), reduces: [] }
  const gain = (unit: UnitClass): number =>
    unitSaving(candidate.promotion, unit.unitCents, unit.measured) - alternative(unit)
  return { candidate, takes: byValue(items, gain), reduces: [] }
}

/**
 * Searches depth-first for the best number of sets of each promotion, in every order of the promotions if there are at
 * most three, else from the largest gain of one set to the smallest.
 */
class Search {
  private readonly classes: readonly UnitClass[]
  private readonly choices: readonly Choice[]
  private steps = 0
  private bestGain = 0
  private bestSets: readonly FormedSet[] = []

  constructor(classes: readonly UnitClass[], choices: readonly Choice[]) {
    this.classes = classes
    this.choices = choices
  }

  best(): readonly FormedSet[] {
    const left = this.classes.map(({ quantity }) => quantity)
    const byGain = this.choices
      .map((choice) => ({ choice, gain: this.form(choice, left)?.gain ?? 0 }))
      .filter(({ gain }) => gain > 0)
      .toSorted(
        (a, b) => b.gain - a.gain || (a.choice.candidate.promotion.id < b.choice.candidate.promotion.id ? -1 : 1),
      )
      .map(({ choice }) => choice)
    for (const order of byGain.length <= 3 ? permutations(byGain) : [byGain]) this.visit(order, left, [], 0)
    return this.bestSets
  }

  private visit(order: readonly Choice[], left: readonly number[], sets: readonly FormedSet[], gain: number): void {
    if (gain > this.bestGain) {
      this.bestGain = gain
      this.bestSets = sets
    }
    const choice = order[0]
    if (choice === undefined || this.steps >= MAX_STEPS) return
    const stages: { left: readonly number[]; sets: readonly FormedSet[]; gain: number }[] = [{ left, sets, gain }]
    const most = choice.candidate.promotion.most ?? Number.POSITIVE_INFINITY
    for (let now = stages[0]; now !== undefined && stages.length <= most; now = stages.at(-1)) {
      this.steps += 1
      const set = this.form(choice, now.left)
      if (set === null || set.gain <= 0) break
      stages.push({ left: without(now.left, set.units), sets: [...now.sets, set], gain: now.gain + set.gain })
    }
    const others = order.slice(1)
    for (const stage of others.length === 0 ? stages.slice(-1) : stages.toReversed())
      this.visit(others, stage.left, stage.sets, stage.gain)
  }

  private form(choice: Choice, left: readonly number[]): FormedSet | null {
    const { reward } = choice.candidate.promotion
    switch (reward.kind) {
      case 'set-price': {
        const units = take(choice.takes, left, reward.units)
        if (units === null) return null
        const price = sum(units, (at) => this.priceOf(at))
        return this.set(
          choice,
          units,
          spreadExact(units, price - reward.cents, price, (at) => this.priceOf(at)),
        )
      }
      case 'buy-get':
        return this.formBuyGet(choice, left, reward)
      default: {
        const { promotion } = choice.candidate
        const saving = (at: number): number => unitSaving(promotion, this.priceOf(at), this.classes[at]?.measured ?? 1)
        const units = take(choice.takes, left, 1)
        return units === null ? null : this.set(choice, units, new Map([...units.keys()].map((at) => [at, saving(at)])))
      }
    }
  }

  private formBuyGet(
    choice: Choice,
    left: readonly number[],
    { buy, get, ppm, getItems }: Extract<Promotion['reward'], { kind: 'buy-get' }>,
  ): FormedSet | null {
    const price = (at: number): number => this.priceOf(at)
    if (getItems === undefined) {
      const units = take(choice.takes, left, buy + get)
      if (units === null) return null
      return this.set(choice, units, share(cheapest(units, get, price), price, ppm))
    }
    const bought = take(choice.takes, left, buy)
    if (bought === null) return null
    const free = take(choice.reduces, without(left, bought), get)
    if (free === null) return null
    const units = new Map(bought)
    for (const [at, count] of free) units.set(at, (units.get(at) ?? 0) + count)
    return this.set(choice, units, share(free, price, ppm))
  }

  private set(choice: Choice, units: ReadonlyMap<number, number>, reductions: ReadonlyMap<number, number>): FormedSet {
    let gain = 0
    for (const amount of reductions.values()) gain += amount
    return { choice, units, reductions, gain: gain - sum(units, (at) => this.alternativeOf(at)) }
  }

  private priceOf = (at: number): number => this.classes[at]?.unitCents ?? 0
  private alternativeOf = (at: number): number => this.classes[at]?.alternative?.saving ?? 0
}

function take(from: readonly number[], left: readonly number[], count: number): Map<number, number> | null {
  const units = new Map<number, number>()
  let missing = count
  for (const at of from) {
    if (missing === 0) break
    const taken = Math.min(missing, left[at] ?? 0)
    if (taken > 0) units.set(at, taken)
    missing -= taken
  }
  return missing === 0 ? units : null
}

function without(left: readonly number[], units: ReadonlyMap<number, number>): number[] {
  const remaining = [...left]
  for (const [at, count] of units) remaining[at] = (remaining[at] ?? 0) - count
  return remaining
}

const sum = (units: ReadonlyMap<number, number>, of: (at: number) => number): number => {
  let total = 0
  for (const [at, count] of units) total += count * of(at)
  return total
}

const spreadExact = (
  units: ReadonlyMap<number, number>,
  amount: number,
  whole: number,
  price: (at: number) => number,
): Map<number, number> => new Map([...units].map(([at, count]) => [at, (amount * count * price(at)) / whole]))

function cheapest(
  units: ReadonlyMap<number, number>,
  count: number,
  price: (at: number) => number,
): Map<number, number> {
  const reduced = new Map<number, number>()
  let missing = count
  for (const [at, has] of [...units].toSorted(([a], [b]) => price(a) - price(b) || b - a)) {
    const taken = Math.min(missing, has)
    if (taken > 0) reduced.set(at, taken)
    missing -= taken
  }
  return reduced
}

function share(units: ReadonlyMap<number, number>, price: (at: number) => number, ppm: number): Map<number, number> {
  const whole = sum(units, price)
  return spreadExact(units, shareOf(whole, ppm), whole, price)
}

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]]
  return all.flatMap((first, at) => permutations(all.toSpliced(at, 1)).map((rest) => [first, ...rest]))
}

function reductionsOf(classes: readonly UnitClass[], sets: readonly FormedSet[]): Reduction[] {
  const left = classes.map(({ quantity }) => quantity)
  const exact = new Map<string, Map<number, number>>()
  for (const { choice, units, reductions } of sets) {
    const { id } = choice.candidate.promotion
    const amounts = exact.get(id) ?? new Map<number, number>()
    exact.set(id, amounts)
    for (const [at, amount] of reductions) amounts.set(at, (amounts.get(at) ?? 0) + amount)
    for (const [at, count] of units) left[at] = (left[at] ?? 0) - count
  }
  const reductions: Reduction[] = []
  for (const [id, unsorted] of exact) {
    const amounts = [...unsorted].toSorted(([a], [b]) => a - b)
    const whole = Math.round(amounts.reduce((total, [, amount]) => total + amount, 0))
    const rounded = largestRemainder(
      whole,
      amounts.map(([, amount]) => amount),
    )
    for (const [index, [at]] of amounts.entries())
      reductions.push(...overLines(id, classes[at]?.lines ?? [], rounded[index] ?? 0))
  }
  for (const [at, { alternative, lines, unitCents }] of classes.entries()) {
    if (alternative === null) continue
    const { promotion } = alternative.candidate
    const units = left[at] ?? 0
    const amount =
      promotion.reward.kind === 'percent'
        ? shareOf(units * unitCents, promotion.reward.ppm)
        : Math.round(units * alternative.saving)
    reductions.push(...overLines(promotion.id, lines, amount))
  }
  return reductions
}

/**
 * Rounds the exact amounts to whole cents that add up to `whole`, each within one cent; ties go to the earlier amount.
 */
function largestRemainder(whole: number, exact: readonly number[]): number[] {
  const floors = exact.map((amount) => Math.floor(amount + 1e-9))
  const missing = whole - floors.reduce((total, amount) => total + amount, 0)
  const first = new Set(
    exact
      .map((amount, at) => ({ at, rest: Math.round((amount - (floors[at] ?? 0)) * 1e6) }))
      .toSorted((a, b) => b.rest - a.rest || a.at - b.at)
      .slice(0, missing)
      .map(({ at }) => at),
  )
  return floors.map((amount, at) => amount + (first.has(at) ? 1 : 0))
}

function overLines(promotion: string, lines: readonly PromotableLine[], amount: number): Reduction[] {
  const quantity = lines.reduce((total, line) => total + line.quantity, 0)
  const amounts = largestRemainder(
    amount,
    lines.map((line) => (amount * line.quantity) / quantity),
  )
  return lines.flatMap((line, at) => {
    const amountCents = amounts[at] ?? 0
    return amountCents === 0 ? [] : [{ promotion, line: line.number, amountCents }]
  })
}

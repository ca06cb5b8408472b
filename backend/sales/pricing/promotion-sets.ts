import type { Promotion, PromotionItems } from '../../../contracts/catalog/promotions.ts'
import { matches, shareOf, WHOLE_PPM, type Candidate, type PromotableLine } from './promotion-index.ts'

/**
 * Number of attempts to form a set after which a search uses the best combination so far. Attempts are counted, not
 * time, so that the result is always the same.
 */
const MAX_STEPS = 1_000
/** Up to this number of promotions that compete for units, a search tries them in every order. */
const MOST_IN_EVERY_ORDER = 4

interface UnitClass {
  readonly unitCents: number
  readonly lines: readonly PromotableLine[]
  readonly quantity: number
  readonly measured: number
  /** The promotion without a limit that reduces a single unit most, or null. */
  readonly alternative: { readonly candidate: Candidate; readonly saving: number } | null
}

/** Number of units of each class, by the index of the class. */
type Units = ReadonlyMap<number, number>

interface Choice {
  readonly candidate: Candidate
  /** All classes of the promotion. */
  readonly own: readonly number[]
  /** Classes of the units of a set, best first; of `buy-get`, the units to buy, least other reduction first. */
  readonly takes: readonly number[]
  /** Classes of the units that `buy-get` reduces, largest gain first. */
  readonly reduces: readonly number[]
}

interface FormedSet {
  readonly units: Units
  readonly reductions: Units
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
  const left = classes.map(({ quantity }) => quantity)
  const competing = candidates.filter(({ promotion }) => needsChoice(promotion))
  const reductions = componentsOf(competing, indexByLine(classes)).flatMap((component) =>
    reduceBySets(component, classes, left),
  )
  for (const [at, { alternative, lines, unitCents }] of classes.entries()) {
    const units = left[at] ?? 0
    if (alternative === null || units === 0) continue
    const { promotion } = alternative.candidate
    const amount =
      promotion.reward.kind === 'percent'
        ? shareOf(units * unitCents, promotion.reward.ppm)
        : Math.round(units * alternative.saving)
    reductions.push(...overLines(promotion.id, lines, amount))
  }
  return reductions
}

const indexByLine = (classes: readonly UnitClass[]): ReadonlyMap<PromotableLine, number> =>
  new Map(classes.flatMap(({ lines }, at) => lines.map((line) => [line, at] as const)))

/** Promotions that compete for the same units, with the indices of these units’ classes. */
interface Component {
  readonly units: ReadonlySet<number>
  readonly candidates: readonly Candidate[]
}

function componentsOf(candidates: readonly Candidate[], classOf: ReadonlyMap<PromotableLine, number>): Component[] {
  const components: Component[] = []
  for (const candidate of candidates) {
    const units = new Set(candidate.lines.flatMap((line) => classOf.get(line) ?? []))
    const joined = components.filter((other) => [...units].some((at) => other.units.has(at)))
    for (const other of joined) {
      for (const at of other.units) units.add(at)
      components.splice(components.indexOf(other), 1)
    }
    components.push({ units, candidates: [...joined.flatMap((other) => other.candidates), candidate] })
  }
  return components
}

/** Returns the reductions by the best sets of a component, and takes the units of these sets from `left`. */
function reduceBySets(component: Component, classes: readonly UnitClass[], left: number[]): Reduction[] {
  const indices = [...component.units].toSorted((a, b) => a - b)
  const own = indices.flatMap((at) => classes[at] ?? [])
  const ownClassOf = indexByLine(own)
  const rivals = own.map(
    ({ lines: [line] }) => component.candidates.filter(({ lines }) => line && lines.includes(line)).length,
  )
  const choices = component.candidates.map((candidate) => choiceOf(candidate, own, ownClassOf, rivals))
  const best = new Search(own, choices).best()
  for (const [at, index] of indices.entries()) left[index] = best.left[at] ?? 0
  return [...exactReductions(best)].flatMap(([promotion, exact]) => {
    const amounts = [...exact].toSorted(([a], [b]) => a - b)
    const whole = Math.round(amounts.reduce((total, [, amount]) => total + amount, 0))
    const rounded = largestRemainder(
      whole,
      amounts.map(([, amount]) => amount),
    )
    return amounts.flatMap(([at], index) => overLines(promotion, own[at]?.lines ?? [], rounded[index] ?? 0))
  })
}

/** Returns the reductions of classes, in cents with fractions, by the id of their promotion. */
function exactReductions(best: Stage): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const stages: Stage[] = []
  for (let stage: Stage | null = best; stage !== null; stage = stage.before) stages.unshift(stage)
  const exact = new Map<string, Map<number, number>>()
  for (const { choice, set, times } of stages) {
    if (choice === null || set === null) continue
    const { id } = choice.candidate.promotion
    const amounts = exact.get(id) ?? new Map<number, number>()
    exact.set(id, amounts)
    for (const [at, amount] of set.reductions) amounts.set(at, (amounts.get(at) ?? 0) + amount * times)
  }
  return exact
}

const mostOf = ({ most = Number.POSITIVE_INFINITY }: Promotion): number => most

function setSize({ reward }: Promotion): number {
  switch (reward.kind) {
    case 'set-price':
      return reward.units
    case 'buy-get':
      return reward.buy + reward.get
    default:
      return 1
  }
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
    let key = `${line.sku}\n${line.unitCents}\n${line.measured ?? ''}`
    for (const { promotion } of of) key += `\n${promotion.id}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { lines: [line], candidates: of })
    else group.lines.push(line)
  }
  return [...groups.entries()]
    .map(([key, { lines, candidates: of }]) => {
      const { unitCents = 0, measured = 1 } = lines[0] ?? {}
      let alternative: UnitClass['alternative'] = null
      // Of equal reductions the first one stays, because the candidates are sorted by id.
      for (const candidate of of) {
        if (needsChoice(candidate.promotion)) continue
        const saving = unitSaving(candidate.promotion, unitCents, measured)
        if (saving > (alternative?.saving ?? 0)) alternative = { candidate, saving }
      }
      return {
        key,
        unitCents,
        measured,
        lines,
        quantity: lines.reduce((sum, { quantity }) => sum + quantity, 0),
        alternative,
      }
    })
    .toSorted((a, b) => b.unitCents - a.unitCents || (a.key < b.key ? -1 : 1))
}

/**
 * Returns the reduction of one unit in cents, with fractions, which `bestExclusive` rounds. Amounts of a measured unit
 * are per unit of measure, and rounded like its price.
 */
function unitSaving({ reward }: Promotion, unitCents: number, measured: number): number {
  switch (reward.kind) {
    case 'percent':
      return (unitCents * reward.ppm) / WHOLE_PPM
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

/** `rivals`: number of promotions that compete for each class; of equal units, a set takes those with fewest rivals. */
function choiceOf(
  candidate: Candidate,
  classes: readonly UnitClass[],
  classOf: ReadonlyMap<PromotableLine, number>,
  rivals: readonly number[],
): Choice {
  const { items, reward } = candidate.promotion
  const own = [...new Set(candidate.lines.flatMap((line) => classOf.get(line) ?? []))]
  const byValue = (which: PromotionItems, value: (unit: UnitClass) => number): number[] =>
    own
      .flatMap((at) => {
        const unit = classes[at]
        const line = unit?.lines[0]
        return unit && line && matches(which, line) ? [{ at, value: value(unit), rivals: rivals[at] ?? 0 }] : []
      })
      .toSorted((a, b) => b.value - a.value || a.rivals - b.rivals || a.at - b.at)
      .map(({ at }) => at)
  const alternative = (unit: UnitClass): number => unit.alternative?.saving ?? 0
  if (reward.kind === 'buy-get') {
    const { getItems = items } = reward
    const gain = (unit: UnitClass): number => (unit.unitCents * reward.ppm) / WHOLE_PPM - alternative(unit)
    const isReduced = ({ lines: [line] }: UnitClass): boolean => line !== undefined && matches(getItems, line)
    const lost = (unit: UnitClass): number => alternative(unit) + (isReduced(unit) ? Math.max(gain(unit), 0) : 0)
    // If the bought items are the reduced ones too, a set reduces its cheapest units, so a dear unit may be bought.
    const bought = reward.getItems
      ? byValue(items, (unit) => 0 - lost(unit))
      : byValue(items, (unit) => 0 - alternative(unit))
    return { candidate, own, takes: bought, reduces: byValue(getItems, gain) }
  }
  if (reward.kind === 'set-price')
    return { candidate, own, takes: byValue(items, (unit) => unit.unitCents - alternative(unit)), reduces: [] }
  const gain = (unit: UnitClass): number =>
    unitSaving(candidate.promotion, unit.unitCents, unit.measured) - alternative(unit)
  return { candidate, own, takes: byValue(items, gain), reduces: [] }
}

/** A combination of sets: the one before it, and `times` sets of one promotion. */
interface Stage {
  readonly left: readonly number[]
  readonly gain: number
  readonly before: Stage | null
  readonly choice: Choice | null
  readonly set: FormedSet | null
  readonly times: number
}

/**
 * Searches for the best number of sets of each promotion: first as many sets as possible of one promotion after the
 * other, in several orders; then fewer sets of the earlier promotions in each order, depth-first.
 */
class Search {
  private readonly classes: readonly UnitClass[]
  private readonly choices: readonly Choice[]
  private readonly largest = new Map<Choice, number>()
  private readonly formed = new Map<Choice, Map<string | number, FormedSet | null>>()
  private steps = 0
  private mostSteps = MAX_STEPS
  private found: Stage

  constructor(classes: readonly UnitClass[], choices: readonly Choice[]) {
    this.classes = classes
    this.choices = choices
    const left = classes.map(({ quantity }) => quantity)
    this.found = { left, gain: 0, before: null, choice: null, set: null, times: 0 }
  }

  best(): Stage {
    const start = this.found
    for (const choice of this.choices) this.largest.set(choice, this.form(choice, start.left)?.gain ?? 0)
    const orders = ordersOf(
      this.choices
        .filter((choice) => this.largestOf(choice) > 0)
        .toSorted(
          (a, b) =>
            this.largestOf(b) - this.largestOf(a) || (a.candidate.promotion.id < b.candidate.promotion.id ? -1 : 1),
        ),
    )
    for (const order of orders) this.visit(order, start, true)
    for (const [at, order] of orders.entries()) {
      this.mostSteps = this.steps + Math.floor((MAX_STEPS - this.steps) / (orders.length - at))
      if (order.length > 1) this.visit(order, start, false)
    }
    return this.found
  }

  private visit([choice, ...others]: readonly Choice[], from: Stage, isGreedy: boolean): void {
    if (from.gain > this.found.gain) this.found = from
    if (choice === undefined || this.steps >= this.mostSteps) return
    const onlyMost = isGreedy || others.length === 0
    const stages = this.stagesOf(choice, from, onlyMost)
    for (const stage of onlyMost ? stages.slice(-1) : stages.toReversed())
      if (stage.gain + this.mostGain(others, stage.left) > this.found.gain) this.visit(others, stage, isGreedy)
  }

  /** Upper bound of the gain of promotions: none of their sets gains more than the first one of all units. */
  private mostGain(choices: readonly Choice[], left: readonly number[]): number {
    let gain = 0
    for (const choice of choices) {
      let units = 0
      for (const at of choice.own) units += left[at] ?? 0
      const { promotion } = choice.candidate
      gain += Math.min(Math.floor(units / setSize(promotion)), mostOf(promotion)) * this.largestOf(choice)
    }
    return gain
  }

  private largestOf = (choice: Choice): number => this.largest.get(choice) ?? 0

  /**
   * Returns the start and the stages with more and more sets of a promotion; of equal sets, the first and last two, or
   * only the last one.
   */
  private stagesOf(choice: Choice, from: Stage, onlyMost: boolean): Stage[] {
    const stages = [from]
    let mostSets = mostOf(choice.candidate.promotion)
    for (let now: Stage = from; mostSets > 0; now = stages.at(-1) ?? from) {
      const set = this.form(choice, now.left)
      if (set === null || set.gain <= 0) break
      let most = mostSets
      for (const [at, count] of set.units) most = Math.min(most, Math.floor((now.left[at] ?? 0) / count))
      for (let times = onlyMost ? most : 1; times <= most; times = Math.max(times + 1, most - 1))
        stages.push({
          left: without(now.left, set.units, times),
          gain: now.gain + set.gain * times,
          before: now,
          choice,
          set,
          times,
        })
      mostSets -= most
    }
    return stages
  }

  private form(choice: Choice, left: readonly number[]): FormedSet | null {
    this.steps += 1
    const formed = this.formed.get(choice) ?? new Map<string | number, FormedSet | null>()
    this.formed.set(choice, formed)
    const key = this.keyOf(left)
    let set = formed.get(key)
    if (set === undefined) {
      set = this.formNew(choice, left)
      formed.set(key, set)
    }
    return set
  }

  /** Returns the units left as the digits of one number, or as text if the number is too large. */
  private keyOf(left: readonly number[]): string | number {
    let key = 0
    for (const [at, { quantity }] of this.classes.entries()) key = key * (quantity + 1) + (left[at] ?? 0)
    return Number.isSafeInteger(key) ? key : left.join()
  }

  private formNew(choice: Choice, left: readonly number[]): FormedSet | null {
    const { reward } = choice.candidate.promotion
    switch (reward.kind) {
      case 'set-price': {
        const units = take(choice.takes, left, reward.units)
        if (units === null) return null
        const price = sum(units, (at) => this.priceOf(at))
        return this.set(
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
        return units === null ? null : this.set(units, new Map([...units.keys()].map((at) => [at, saving(at)])))
      }
    }
  }

  private formBuyGet(
    choice: Choice,
    left: readonly number[],
    { buy, get, ppm, getItems }: Extract<Promotion['reward'], { kind: 'buy-get' }>,
  ): FormedSet | null {
    const price = (at: number): number => this.priceOf(at)
    const formed = (bought: Units | null, free: Units | null): FormedSet | null =>
      bought && free && this.set(added(bought, free), share(free, price, ppm))
    if (getItems !== undefined) {
      const boughtFirst = take(choice.takes, left, buy)
      const freeFirst = take(choice.reduces, left, get)
      return better(
        formed(freeFirst && take(choice.takes, without(left, freeFirst), buy), freeFirst),
        formed(boughtFirst, boughtFirst && take(choice.reduces, without(left, boughtFirst), get)),
      )
    }
    let best: FormedSet | null = null
    // The reduced units are the cheapest of their set: tries each unit as the dearest reduced one.
    for (const highest of choice.reduces) {
      if ((left[highest] ?? 0) === 0) continue
      this.steps += 1
      const reduced = take(choice.reduces, left, get, (at) => price(at) <= price(highest))
      const bought = reduced && take(choice.takes, without(left, reduced), buy, (at) => price(at) >= price(highest))
      best = better(best, formed(bought, reduced))
    }
    return best
  }

  private set(units: Units, reductions: Units): FormedSet {
    let gain = 0
    for (const amount of reductions.values()) gain += amount
    return { units, reductions, gain: gain - sum(units, (at) => this.alternativeOf(at)) }
  }

  private priceOf = (at: number): number => this.classes[at]?.unitCents ?? 0
  private alternativeOf = (at: number): number => this.classes[at]?.alternative?.saving ?? 0
}

/** Takes units of the first classes that have some left; null if there are fewer than `count`. */
function take(
  from: readonly number[],
  left: readonly number[],
  count: number,
  accepts: (at: number) => boolean = () => true,
): Map<number, number> | null {
  const units = new Map<number, number>()
  let missing = count
  for (const at of from) {
    if (missing === 0) break
    const taken = Math.min(missing, left[at] ?? 0)
    if (taken === 0 || !accepts(at)) continue
    units.set(at, taken)
    missing -= taken
  }
  return missing === 0 ? units : null
}

function without(left: readonly number[], units: Units, times = 1): number[] {
  const remaining = [...left]
  for (const [at, count] of units) remaining[at] = (remaining[at] ?? 0) - count * times
  return remaining
}

function added(some: Units, others: Units): Units {
  const units = new Map(some)
  for (const [at, count] of others) units.set(at, (units.get(at) ?? 0) + count)
  return units
}

const better = (one: FormedSet | null, other: FormedSet | null): FormedSet | null =>
  (other?.gain ?? Number.NEGATIVE_INFINITY) > (one?.gain ?? Number.NEGATIVE_INFINITY) ? other : one

const sum = (units: Units, of: (at: number) => number): number => {
  let total = 0
  for (const [at, count] of units) total += count * of(at)
  return total
}

const spreadExact = (units: Units, amount: number, whole: number, price: (at: number) => number): Map<number, number> =>
  new Map([...units].map(([at, count]) => [at, (amount * count * price(at)) / whole]))

function share(units: Units, price: (at: number) => number, ppm: number): Map<number, number> {
  const whole = sum(units, price)
  return spreadExact(units, shareOf(whole, ppm), whole, price)
}

function ordersOf(byGain: readonly Choice[]): Choice[][] {
  if (byGain.length <= MOST_IN_EVERY_ORDER) return permutations(byGain)
  return byGain.map((first, at) => [first, ...byGain.toSpliced(at, 1)])
}

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]]
  return all.flatMap((first, at) => permutations(all.toSpliced(at, 1)).map((rest) => [first, ...rest]))
}

/**
 * Rounds the exact amounts to whole cents that add up to `whole`, each within one cent; ties go to the earlier amount.
 */
function largestRemainder(whole: number, exact: readonly number[]): number[] {
  const floors = exact.map((amount) => Math.floor(amount + 1e-9))
  const missing = whole - floors.reduce((total, amount) => total + amount, 0)
  if (missing === 0) return floors
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

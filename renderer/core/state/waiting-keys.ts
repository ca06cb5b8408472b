import { readContext } from '../../actions.ts'
import type { Action, ActionContext } from '../../actions/action.ts'
import { keepTurn, useCommands } from './command-queue.ts'
import { notify, settleTopic, type Saying } from './notices.ts'
import { piecesInHand, RETURN_PATH } from '../../payments/returns/returns.ts'
import { INTO_BASKET, outcomeNow, outcomeOf, useSale } from '../../sales/sale.ts'
import { useShell } from './window.ts'

/**
 * A key that waited longer without an answer would act on a screen that the cashier has read anew since: it is given
 * up, and that is said.
 */
const LONGEST_WAIT_MS = 8_000
/** A wait that a hand notices is told. */
const TOLD_AFTER_MS = 400
const TOPIC = 'waiting-keys'
const NOT_DONE_TOPIC = 'keys-not-done'

/** What can wait: a key of the terminal, or an item that was found while one waited. */
type Step = Pick<Action, 'id' | 'when' | 'perform'>

interface Waiting {
  readonly step: Step
  readonly name: Saying
  readonly since: number
  /** Takes it out of the queue of commands. */
  takeOut: () => void
}

let waiting: Waiting[] = []
/** What was said to be not done, until it is done or its sale has gone. */
let notDone: readonly Waiting[] = []
/** When an answer came last. */
let answeredAt = 0
let told: ReturnType<typeof setTimeout> | undefined
let expires: ReturnType<typeof setTimeout> | undefined
/** What was done while something was on its way: its key again is a double tap. */
const underWay = new Set<string>()

function act(step: Step, context: ActionContext): void {
  // An explanation that stays open would lie over what the action brings, and keep the focus from it.
  useShell.setState({ explained: null })
  settleNotDone(({ id }) => id === step.id)
  void step.perform(context)
  if (useCommands.getState().kinds.size > 0) underWay.add(step.id)
}

/**
 * A key to pay came before it was known what there is to pay, or with what: none after it pays otherwise until that is
 * known.
 */
let payingRefused = false

/**
 * What would be paid is still on its way into the basket, so that a key to pay means nothing yet and no button stands
 * there to be kept for: the first item of a sale, or what a card may redeem. Answers whether it is so of these actions,
 * which is to be said.
 */
export function refusePaying({ path, busy }: ActionContext, actions: readonly Action[]): boolean {
  const early =
    path === '/' &&
    INTO_BASKET.some((kind) => busy.has(kind)) &&
    actions.length > 0 &&
    actions.every(({ group }) => group === 'paying') &&
    !secondTap(actions)
  if (early) payingRefused = true
  return early
}

/** One of these is on its way already, or waits. */
export const secondTap = (actions: readonly Action[]): boolean =>
  actions.some(({ id }) => underWay.has(id) || waiting.some(({ step }) => step.id === id))

/** What goes back for the goods that were chosen is still being asked: nobody confirms an amount that is not there. */
export const confirmsTooEarly = ({ path, returning }: ActionContext, actions: readonly Action[]): boolean =>
  path === RETURN_PATH &&
  returning.sale !== null &&
  piecesInHand(returning) > 0 &&
  returning.quote === null &&
  !returning.busy &&
  actions.some(({ id }) => id === 'return-confirm')

/** What the action builds on is not answered yet. */
const tooEarly = ({ after }: Action, { busy }: ActionContext): boolean => after?.some((kind) => busy.has(kind)) ?? false

/**
 * Does what a key, a button or a scanned control means in this context, or keeps it until the answers that it waits for
 * are there. Every one of them goes this way. Answers false where it means nothing.
 */
export function press(actionIn: (context: ActionContext) => Action | undefined, context: ActionContext): boolean {
  const action = actionIn(context)
  // Keys are waiting: the next one goes behind them, unless it only opens the field for what is typed after it.
  const behind = waiting.length > 0 && action?.atOnce !== true
  if (!action || behind || tooEarly(action, context)) return keepForLater(actionIn, context)
  act(action, context)
  return true
}

/**
 * A key that can do nothing only because an answer is still on its way is kept and acts when the answer is there, in
 * the order of the keys: a slow answer costs no key. `actionIn`: what it means in a context. Answers whether it was
 * kept. Not kept is what pays the rest before the outcome of a redemption stands on the screen, and the key of what is
 * on its way, since a double tap is one tap.
 */
function keepForLater(actionIn: (context: ActionContext) => Action | undefined, context: ActionContext): boolean {
  const { busy } = context
  if (busy.size === 0 && waiting.length === 0) return false
  const action = actionIn(answered(context))
  if (!action) return false
  if (!action.repeats && (underWay.has(action.id) || waiting.some(({ step }) => step.id === action.id))) return false
  if (payingRefused && action.group === 'paying') return false
  if (busy.has('redemption') && action.group === 'paying' && !outcomeShown(context)) return false
  wait(action, ({ t }) => t(action.plainKey ?? action.labelKey))
  return true
}

function wait(step: Step, name: Saying): void {
  const entry: Waiting = { step, name, since: performance.now(), takeOut: () => undefined }
  waiting.push(entry)
  entry.takeOut = keepTurn(() => begin(entry))
  watch()
}

const RING_IN_TURN = 'ring-in-turn'

/**
 * Rings an item that the cashier has found: at once, or behind the keys that wait, since those were meant for the
 * basket before it. `name` is what the cashier knows it by.
 */
export function ringInTurn(name: string, run: () => unknown): void {
  settleNotDone(({ id }) => id === RING_IN_TURN)
  if (waiting.length === 0) return void run()
  wait({ id: RING_IN_TURN, when: () => true, perform: run }, ({ t }) => t('sale.keysItem', { name }))
}

/**
 * An event was faster than the answer: what became of the redemption that is on its way stands on the screen, or the
 * cashier has seen it and gone on.
 */
const outcomeShown = ({ state }: ActionContext): boolean =>
  state.current?.redemption != null &&
  outcomeOf(state.current.redemption) !== 'progress' &&
  outcomeNow(state) !== state.outcomeBefore

/** The same moment with nothing on its way. */
const answered = (context: ActionContext): ActionContext => ({ ...context, busy: new Set() })

/** A dialog that is open keeps the keys to itself; one that only fades away has none. */
export const OPEN_DIALOG = '[data-modal]:not([data-exiting])'
export const dialogOpen = (): boolean => document.querySelector(OPEN_DIALOG) !== null

/** The names of what waits, each once, and without an amount: that is the answer's to bring. */
const namesOf = (keys: readonly Waiting[]): Saying => {
  const names = keys.map(({ name }) => name)
  return (words) => [...new Set(names.map((name) => name(words)))].join(', ')
}

/** The first of the waiting keys: how long it has waited is told, and ends. */
function watch(): void {
  const [first] = waiting
  clearTimeout(told)
  clearTimeout(expires)
  if (!first) return settleTopic(TOPIC)
  const now = performance.now()
  told = setTimeout(notifyWaiting, first.since + TOLD_AFTER_MS - now)
  expires = setTimeout(giveUp, Math.max(first.since, answeredAt) + LONGEST_WAIT_MS - now)
}

function notifyWaiting(): void {
  const names = namesOf(waiting)
  notify('info', (words) => words.t('sale.keysWait', { actions: names(words) }), {
    topic: TOPIC,
    offer: { say: ({ t }) => t('sale.keysTakeBack'), perform: () => void takeBackWaiting() },
  })
}

/** The cashier has thought better of what still waits. Answers whether anything did. */
export function takeBackWaiting(): boolean {
  if (waiting.length === 0) return false
  for (const { takeOut } of waiting) takeOut()
  waiting = []
  watch()
  return true
}

/** What waits is not done, and that is said: it was meant for a screen that did not come. */
function giveUp(): void {
  const given = waiting
  if (!takeBackWaiting()) return
  notDone = given
  notifyNotDone()
}

function notifyNotDone(): void {
  if (notDone.length === 0) return settleTopic(NOT_DONE_TOPIC)
  const names = namesOf(notDone)
  notify('warning', (words) => words.t('sale.keysNotDone', { actions: names(words) }), { topic: NOT_DONE_TOPIC })
}

/** These are done after all, or can be done no more: nothing may go on asking for them. */
function settleNotDone(which: (step: Step) => boolean): void {
  const left = notDone.filter(({ step }) => !which(step))
  if (left.length === notDone.length) return
  notDone = left
  notifyNotDone()
}

/** The turn of a waiting key has come: everything before it is answered. */
function begin(entry: Waiting): void {
  // It was taken back while its turn began.
  if (!waiting.includes(entry)) return
  const context = readContext()
  if (dialogOpen() || !entry.step.when(context)) return giveUp()
  waiting = waiting.filter((other) => other !== entry)
  watch()
  act(entry.step, context)
}

useCommands.subscribe(({ kinds, missed, ended }, before) => {
  // What the keys were to build on has not come, or something else came between.
  if (missed !== before.missed) giveUp()
  if (kinds.size === 0 && waiting.length === 0) {
    underWay.clear()
    payingRefused = false
  }
  if (ended === before.ended) return
  answeredAt = performance.now()
  if (waiting.length > 0) watch()
})

useSale.subscribe(({ current }, before) => {
  // An item still wants to be sold, to the next customer too.
  if (current?.id !== before.current?.id) settleNotDone(({ id }) => id !== RING_IN_TURN)
})

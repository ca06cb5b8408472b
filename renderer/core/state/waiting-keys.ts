import { readContext } from '../../actions.ts'
import type { Action, ActionContext } from '../../actions/action.ts'
import { enqueueKey, useCommands } from './command-queue.ts'
import { notify, clearTopic, type LazyText } from './notices.ts'
import { enteredPieces, RETURN_PATH } from '../../payments/returns/returns.ts'
import { INTO_BASKET, outcomeNow, outcomeOf, useSale } from '../../sales/sale.ts'
import { useShell } from './window.ts'

/**
 * Maximum time that a key waits for an answer. The key is then dropped with a notice, because it was meant for an
 * earlier state of the screen.
 */
const LONGEST_WAIT_MS = 8_000
/** Time after which a waiting key is noticeable and gets a notice. */
const SHOWN_AFTER_MS = 400
const TOPIC = 'waiting-keys'
const NOT_DONE_TOPIC = 'keys-not-done'

/** An action that can wait: of a key, or ringing an item that was found while a key waited. */
type Step = Pick<Action, 'id' | 'when' | 'perform'>

interface Waiting {
  readonly step: Step
  readonly name: LazyText
  readonly since: number
  dequeue: () => void
}

let waiting: Waiting[] = []
/** Keys reported as not done, until they are done or the sale is over. */
let notDone: readonly Waiting[] = []
let answeredAt = 0
let noticeTimer: ReturnType<typeof setTimeout> | undefined
let expires: ReturnType<typeof setTimeout> | undefined
/** Ids of actions whose commands are in flight: the same key again is a double tap. */
const inFlight = new Set<string>()

function act(step: Step, context: ActionContext): void {
  // Close an open explanation of the status bar, which would cover the result and keep the focus.
  useShell.setState({ explained: null })
  clearNotDone(({ id }) => id === step.id)
  void step.perform(context)
  if (useCommands.getState().kinds.size > 0) inFlight.add(step.id)
}

/**
 * Whether a payment key was refused because it came too early. Further payment keys are then refused until all commands
 * are answered.
 */
let payingRefused = false

/**
 * Whether a payment key comes too early: the first item, or the redeemable amount of a collector card, is still
 * pending. Such keys are refused with a notice.
 */
export function isTooEarlyToPay({ path, busy }: ActionContext, actions: readonly Action[]): boolean {
  const early =
    path === '/' &&
    INTO_BASKET.some((kind) => busy.has(kind)) &&
    actions.length > 0 &&
    actions.every(({ group }) => group === 'paying') &&
    !secondTap(actions)
  if (early) payingRefused = true
  return early
}

export const secondTap = (actions: readonly Action[]): boolean =>
  actions.some(({ id }) => inFlight.has(id) || waiting.some(({ step }) => step.id === id))

/**
 * Whether the key would confirm a return before the refund of the chosen goods is known: there is no amount to confirm.
 */
export const isTooEarlyToConfirm = ({ path, returning }: ActionContext, actions: readonly Action[]): boolean =>
  path === RETURN_PATH &&
  returning.sale !== null &&
  enteredPieces(returning) > 0 &&
  returning.quote === null &&
  !returning.busy &&
  actions.some(({ id }) => id === 'return-confirm')

const tooEarly = ({ after }: Action, { busy }: ActionContext): boolean => after?.some((kind) => busy.has(kind)) ?? false

/**
 * Performs the action of a key, button or scanned control in this context, or queues it until the answers it depends on
 * arrive. All input uses this function. Returns false if it did neither.
 */
export function press(actionIn: (context: ActionContext) => Action | undefined, context: ActionContext): boolean {
  const action = actionIn(context)
  // If other keys wait, queue this one behind them, unless it only opens a field for typing.
  const isQueuedBehind = waiting.length > 0 && action?.atOnce !== true
  if (!action || isQueuedBehind || tooEarly(action, context)) return queueKey(actionIn, context)
  act(action, context)
  return true
}

/**
 * Queues a key that is unavailable only because an answer is pending, so that a slow answer loses no key. `actionIn`:
 * the key's action in a context. Returns whether it was queued. Does not queue payments before the outcome of a
 * redemption is shown, or keys whose command is in flight, because a double tap counts once.
 */
function queueKey(actionIn: (context: ActionContext) => Action | undefined, context: ActionContext): boolean {
  const { busy } = context
  if (busy.size === 0 && waiting.length === 0) return false
  const action = actionIn(answered(context))
  if (!action) return false
  if (!action.repeats && (inFlight.has(action.id) || waiting.some(({ step }) => step.id === action.id))) return false
  if (payingRefused && action.group === 'paying') return false
  if (busy.has('redemption') && action.group === 'paying' && !outcomeShown(context)) return false
  wait(action, ({ t }) => t(action.plainKey ?? action.labelKey))
  return true
}

function wait(step: Step, name: LazyText): void {
  const entry: Waiting = { step, name, since: performance.now(), dequeue: () => undefined }
  waiting.push(entry)
  entry.dequeue = enqueueKey(() => begin(entry))
  watch()
}

const QUEUED_RING = 'ring-in-turn'

/**
 * Rings an item that the cashier found: at once, or after the waiting keys, which were pressed for the basket without
 * this item. `name` is the item's name for the cashier.
 */
export function ringQueued(name: string, run: () => unknown): void {
  clearNotDone(({ id }) => id === QUEUED_RING)
  if (waiting.length === 0) return void run()
  wait({ id: QUEUED_RING, when: () => true, perform: run }, ({ t }) => t('sale.keysItem', { name }))
}

/**
 * Whether an event has already reported the outcome of the redemption whose command is unanswered: the screen shows the
 * outcome, or the cashier has closed it.
 */
const outcomeShown = ({ state }: ActionContext): boolean =>
  state.current?.redemption != null &&
  outcomeOf(state.current.redemption) !== 'progress' &&
  outcomeNow(state) !== state.outcomeBefore

const answered = (context: ActionContext): ActionContext => ({ ...context, busy: new Set() })

/** Selector of an open dialog, which captures the keys; a dialog that is fading out does not. */
export const OPEN_DIALOG = '[data-modal]:not([data-exiting])'
export const dialogOpen = (): boolean => document.querySelector(OPEN_DIALOG) !== null

/** Names of the waiting keys, each once; without amounts, because the answers determine them. */
const namesOf = (keys: readonly Waiting[]): LazyText => {
  const names = keys.map(({ name }) => name)
  return (i18n) => [...new Set(names.map((name) => name(i18n)))].join(', ')
}

/** Sets the timers that show that keys wait and that drop them after the time limit. */
function watch(): void {
  const [first] = waiting
  clearTimeout(noticeTimer)
  clearTimeout(expires)
  if (!first) return clearTopic(TOPIC)
  const now = performance.now()
  noticeTimer = setTimeout(notifyWaiting, first.since + SHOWN_AFTER_MS - now)
  expires = setTimeout(dropWaiting, Math.max(first.since, answeredAt) + LONGEST_WAIT_MS - now)
}

function notifyWaiting(): void {
  const names = namesOf(waiting)
  notify('info', (i18n) => i18n.t('sale.keysWait', { actions: names(i18n) }), {
    topic: TOPIC,
    offer: { text: ({ t }) => t('sale.keysTakeBack'), perform: () => void cancelWaiting() },
  })
}

export function cancelWaiting(): boolean {
  if (waiting.length === 0) return false
  for (const { dequeue } of waiting) dequeue()
  waiting = []
  watch()
  return true
}

/** Drops the waiting keys and reports them as not done: they were meant for another state of the screen. */
function dropWaiting(): void {
  const given = waiting
  if (!cancelWaiting()) return
  notDone = given
  notifyNotDone()
}

function notifyNotDone(): void {
  if (notDone.length === 0) return clearTopic(NOT_DONE_TOPIC)
  const names = namesOf(notDone)
  notify('warning', (i18n) => i18n.t('sale.keysNotDone', { actions: names(i18n) }), { topic: NOT_DONE_TOPIC })
}

/** Removes keys from the “not done” notice that are done now or cannot be done any more. */
function clearNotDone(which: (step: Step) => boolean): void {
  const left = notDone.filter(({ step }) => !which(step))
  if (left.length === notDone.length) return
  notDone = left
  notifyNotDone()
}

function begin(entry: Waiting): void {
  if (!waiting.includes(entry)) return
  const context = readContext()
  if (dialogOpen() || !entry.step.when(context)) return dropWaiting()
  waiting = waiting.filter((other) => other !== entry)
  watch()
  act(entry.step, context)
}

useCommands.subscribe(({ kinds, failed, ended }, before) => {
  // Drop the waiting keys when a command that they depend on failed, or another change came in between.
  if (failed !== before.failed) dropWaiting()
  if (kinds.size === 0 && waiting.length === 0) {
    inFlight.clear()
    payingRefused = false
  }
  if (ended === before.ended) return
  answeredAt = performance.now()
  if (waiting.length > 0) watch()
})

useSale.subscribe(({ current }, before) => {
  // Keep a found item in the notice: it must still be sold, even to the next customer.
  if (current?.id !== before.current?.id) clearNotDone(({ id }) => id !== QUEUED_RING)
})

import { readContext, type Action, type ActionContext } from './actions.ts'
import { notify, settleTopic, type Saying } from './stores/notices.ts'
import { outcomeOf, useSale } from './stores/sale.ts'
import { useShell } from './stores/shell.ts'

/** A key that waited longer would act on a screen that the cashier has read anew since: it is given up, and that is said. */
const LONGEST_WAIT_MS = 8_000
/** A wait that a hand notices is told. */
const TOLD_AFTER_MS = 400
const TOPIC = 'waiting-keys'

interface Waiting {
  readonly action: Action
  readonly since: number
}

let waiting: Waiting[] = []
let told: ReturnType<typeof setTimeout> | undefined
let expires: ReturnType<typeof setTimeout> | undefined
/** What was done while something was on its way: its key again is a double tap. */
const underWay = new Set<string>()

function act(action: Action, context: ActionContext): void {
  // An explanation that stays open would lie over what the action brings, and keep the focus from it.
  useShell.setState({ explained: null })
  void action.perform(context)
  if (useSale.getState().busy.size > 0) underWay.add(action.id)
}

/** What the action builds on is not answered yet. */
const tooEarly = ({ after }: Action, { state }: ActionContext): boolean => after?.some((kind) => state.busy.has(kind)) ?? false

/**
 * Does what a key, a button or a scanned control means in this context, or keeps it until the answers that it waits for are
 * there. Every one of them goes this way. Answers false where it means nothing.
 */
export function press(actionIn: (context: ActionContext) => Action | undefined, context: ActionContext): boolean {
  // Keys are waiting: the next one goes behind them.
  const action = waiting.length > 0 ? undefined : actionIn(context)
  if (!action || tooEarly(action, context)) return keepForLater(actionIn, context)
  act(action, context)
  return true
}

/**
 * A key that can do nothing only because an answer is still on its way is kept and acts when the answer is there, in the
 * order of the keys: a slow answer costs no key. `actionIn`: what it means in a context. Answers whether it was kept. Not
 * kept is what pays the rest before the outcome of a redemption stands on the screen, and the key of what is on its way,
 * since a double tap is one tap.
 */
function keepForLater(actionIn: (context: ActionContext) => Action | undefined, context: ActionContext): boolean {
  const { busy } = context.state
  if (busy.size === 0) return false
  const action = actionIn(answered(context))
  if (!action) return false
  if (!action.repeats && (underWay.has(action.id) || waiting.some((other) => other.action.id === action.id))) return false
  if (busy.has('redemption') && action.group === 'paying' && !outcomeShown(context)) return false
  waiting.push({ action, since: performance.now() })
  if (waiting.length === 1) watch()
  return true
}

/** An event was faster than the answer: the cashier sees what became of the redemption. */
const outcomeShown = ({ panel, state }: ActionContext): boolean => panel === 'redemption' && state.current?.redemption != null && outcomeOf(state.current.redemption) !== 'progress'

/** The same moment with nothing on its way. */
const answered = (context: ActionContext): ActionContext => ({ ...context, state: { ...context.state, busy: new Set() } })

/** A dialog that is open keeps the keys to itself. */
export const dialogOpen = (): boolean => document.querySelector('[role="alertdialog"], [data-modal]') !== null

/** The names of what waits, each once, and without an amount: that is the answer's to bring. */
function namesOf(keys: readonly Waiting[]): Saying {
  const labels = [...new Set(keys.map(({ action }) => action.plainKey ?? action.labelKey))]
  return ({ t }) => labels.map((label) => t(label)).join(', ')
}

/** The first of the waiting keys: how long it has waited is told, and ends. */
function watch(): void {
  const [first] = waiting
  clearTimeout(told)
  clearTimeout(expires)
  if (!first) return settleTopic(TOPIC)
  const waited = performance.now() - first.since
  told = setTimeout(tellWaiting, TOLD_AFTER_MS - waited)
  expires = setTimeout(giveUp, LONGEST_WAIT_MS - waited)
}

function tellWaiting(): void {
  const names = namesOf(waiting)
  notify('info', (words) => words.t('sale.keysWait', { actions: names(words) }), { topic: TOPIC, offer: { say: ({ t }) => t('sale.keysTakeBack'), perform: () => void takeBackWaiting() } })
}

/** The cashier has thought better of what still waits. Answers whether anything did. */
export function takeBackWaiting(): boolean {
  if (waiting.length === 0) return false
  waiting = []
  watch()
  return true
}

/** What waits is not done, and that is said: it was meant for a screen that did not come. */
function giveUp(): void {
  const names = namesOf(waiting)
  if (!takeBackWaiting()) return
  notify('warning', (words) => words.t('sale.keysNotDone', { actions: names(words) }), { topic: TOPIC })
}

function goOn(): void {
  for (;;) {
    const [first] = waiting
    if (!first) return
    const context = readContext()
    const { action } = first
    if (dialogOpen() || !action.when(answered(context))) return giveUp()
    if (!action.when(context) || tooEarly(action, context)) return
    waiting.shift()
    watch()
    act(action, context)
  }
}

useSale.subscribe(({ busy, missed }, before) => {
  // What the keys were to build on has not come.
  if (missed !== before.missed) giveUp()
  if (busy === before.busy || busy.size >= before.busy.size) return
  if (busy.size === 0) underWay.clear()
  // When the screen has what the answer brought.
  queueMicrotask(goOn)
})

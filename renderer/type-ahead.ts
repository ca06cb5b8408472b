import { readContext, type Action, type ActionContext } from './actions.ts'
import { outcomeOf, useSale } from './stores/sale.ts'
import { useShell } from './stores/shell.ts'

/** A key that waited longer would act on a screen that the cashier has read anew since. */
const LONGEST_WAIT_MS = 2_000

interface Waiting {
  readonly action: Action
  readonly since: number
}

let waiting: Waiting[] = []
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
 * order of the keys: a slow answer costs no key. `actionIn`: what it means in a context. Answers whether it was kept. Not kept is what pays the rest before the
 * outcome of a redemption stands on the screen, and the key of what is on its way, since a double tap is one tap.
 */
function keepForLater(actionIn: (context: ActionContext) => Action | undefined, context: ActionContext): boolean {
  const { busy } = context.state
  if (busy.size === 0) return false
  const action = actionIn(answered(context))
  if (!action) return false
  if (!action.repeats && (underWay.has(action.id) || waiting.some((other) => other.action.id === action.id))) return false
  if (busy.has('redemption') && action.group === 'paying' && !outcomeShown(context)) return false
  waiting.push({ action, since: performance.now() })
  return true
}

/** An event was faster than the answer: the cashier sees what became of the redemption. */
const outcomeShown = ({ panel, state }: ActionContext): boolean => panel === 'redemption' && state.current?.redemption != null && outcomeOf(state.current.redemption) !== 'progress'

/** The same moment with nothing on its way. */
const answered = (context: ActionContext): ActionContext => ({ ...context, state: { ...context.state, busy: new Set() } })

/** A dialog that is open keeps the keys to itself. */
export const dialogOpen = (): boolean => document.querySelector('[role="alertdialog"], [data-modal]') !== null

function goOn(): void {
  for (;;) {
    const [first] = waiting
    if (!first) return
    const context = readContext()
    const { action, since } = first
    if (performance.now() - since > LONGEST_WAIT_MS || dialogOpen() || !action.when(answered(context))) {
      // What was pressed after it was meant for the screen that it would have made.
      waiting = []
      return
    }
    if (!action.when(context) || tooEarly(action, context)) return
    waiting.shift()
    act(action, context)
  }
}

useSale.subscribe(({ busy }, before) => {
  if (busy === before.busy || busy.size >= before.busy.size) return
  if (busy.size === 0) underWay.clear()
  // When the screen has what the answer brought.
  queueMicrotask(goOn)
})

import { createKeyBurst, DEAD, type Stroke } from './key-burst.ts'
import { GROUP_SEPARATOR, isGroupSeparator, type KeyPosition } from './group-separator.ts'

/** A timer that fires so much later found the page busy: keys may wait behind it. */
const STALLED_MS = 20
const MOST_BEHIND_MS = 500

interface HeldStroke extends Stroke, KeyPosition {
  readonly target: EventTarget | null
}

/** A code is ASCII: what writes other characters is a scanner for US keyboards under a layout of another language. */
const textOf = async (strokes: readonly HeldStroke[] | null): Promise<string | null> =>
  strokes?.some(({ key }) => key === DEAD || key > '~')
    ? (await import('./us-layout.ts')).textOnUsLayout(strokes)
    : (strokes?.map(({ key }) => key).join('') ?? null)

/**
 * Listens for scanners that type. Install it before any other listener for keys: what may be a scan is kept from the
 * whole page, whichever field or dialog has the focus, and given back as typing a twentieth of a second later when it
 * is none. Answers a function that stops it.
 */
export function listenForTypedScans(onScan: (text: string | null) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const burst = createKeyBurst<HeldStroke>({
    onScan: (strokes) => void textOf(strokes).then(onScan),
    onTyping: (strokes) => {
      for (const stroke of strokes) giveBack(stroke)
    },
  })

  function giveBack({ key, code, shiftKey, target }: HeldStroke): void {
    if (key === GROUP_SEPARATOR.key) return
    const place = placeOf(target)
    // A browser presses with a space what can be pressed, for its own keys only.
    if (key === ' ' && place instanceof HTMLElement && place.matches(PRESSED_BY_SPACE)) return place.click()
    const event = new KeyboardEvent('keydown', { key, code, shiftKey, bubbles: true, cancelable: true, composed: true })
    if (!place.dispatchEvent(event)) return
    if (place !== document.activeElement || !isTextField(place)) return
    // A browser says this before it writes what a person typed, and does not before what a page inserts.
    if (
      !place.dispatchEvent(
        new InputEvent('beforeinput', { inputType: 'insertText', data: key, bubbles: true, cancelable: true }),
      )
    )
      return
    // The one way in that keeps the selection, the field's limits, undo, and what the framework hears.
    document.execCommand('insertText', false, key)
  }

  function settle(): void {
    clearTimeout(timer)
    burst.settle()
  }

  /** A page that is behind by so much has more keys waiting: they come before what is held is complete. */
  function arm(behindMs: number): void {
    clearTimeout(timer)
    if (!burst.holds) return
    const due = performance.now() + burst.paceMs + Math.min(Math.max(0, behindMs), MOST_BEHIND_MS)
    timer = setTimeout(() => {
      const late = performance.now() - due
      if (late > STALLED_MS) arm(late)
      else settle()
    }, due - performance.now())
  }

  function onKey(event: KeyboardEvent): void {
    // What a page made itself came from no keyboard: what is given back here, and what controls tell each other.
    if (!event.isTrusted) return
    // A scanner presses Control before the key of a group separator.
    if (event.key === 'Control' && burst.holds) return
    if (isGroupSeparator(event) && burst.holds) {
      const { shiftKey, target, timeStamp } = event
      burst.press({ ...GROUP_SEPARATOR, shiftKey, target, at: timeStamp })
      event.preventDefault()
      event.stopImmediatePropagation()
      return arm(performance.now() - timeStamp)
    }
    // A key that is held down repeats at the pace of a scanner. An accent that waits for its letter writes nothing yet.
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) return settle()
    const { key, code, shiftKey, target } = event
    if (burst.press({ key, code, shiftKey, target, at: event.timeStamp }) === 'hold') {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    arm(performance.now() - event.timeStamp)
  }

  addEventListener('keydown', onKey, { capture: true })
  // What was typed before a tap is there before the tap.
  addEventListener('pointerdown', settle, { capture: true })
  return () => {
    settle()
    removeEventListener('keydown', onKey, { capture: true })
    removeEventListener('pointerdown', settle, { capture: true })
  }
}

const PRESSED_BY_SPACE = 'button, input[type="radio"], input[type="checkbox"]'

/** Where a key goes that was held: where it was pressed, or where the key before it has brought the focus meanwhile. */
const placeOf = (target: EventTarget | null): Element =>
  target instanceof Element && target.isConnected && target !== document.body
    ? target
    : (document.activeElement ?? document.body)

const isTextField = (element: Element): boolean =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement

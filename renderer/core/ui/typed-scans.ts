import { flushSync } from 'react-dom'
import { createKeyBurst, DEAD, type Stroke } from './key-burst.ts'
import { GROUP_SEPARATOR, isGroupSeparator, type KeyPosition } from './group-separator.ts'

const STALLED_MS = 20
const MAX_BEHIND_MS = 500

interface BufferedKey extends Stroke, KeyPosition {
  readonly target: EventTarget | null
}

/**
 * Text of scanned keys. Codes are ASCII: other characters come from a scanner for US keyboards under another keyboard
 * layout, so the text is decoded from the key positions.
 */
const textOf = async (strokes: readonly BufferedKey[] | null): Promise<string | null> =>
  strokes?.some(({ key }) => key === DEAD || key > '~')
    ? (await import('./us-layout.ts')).textOnUsLayout(strokes)
    : (strokes?.map(({ key }) => key).join('') ?? null)

/**
 * Listens for keyboard-wedge scanners. Install it before any other key listener: it holds a possible scan back from the
 * whole page, and types the keys 50 ms later if they are not a scan. Returns a function that stops it.
 */
export function listenForTypedScans(onScan: (text: string | null) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const burst = createKeyBurst<BufferedKey>({
    onScan: (strokes) => void textOf(strokes).then(onScan),
    onTyping: (strokes) => {
      // A key may open a field for the next key, so its effects are rendered before the next key is typed.
      for (const stroke of strokes) flushSync(() => giveBack(stroke))
    },
  })

  function giveBack({ key, code, shiftKey, target }: BufferedKey): void {
    if (key === GROUP_SEPARATOR.key) return
    const place = placeOf(target)
    // Only a trusted space key presses a button in a browser, so click the button.
    if (key === ' ' && place instanceof HTMLElement && place.matches(PRESSED_BY_SPACE)) return place.click()
    const event = new KeyboardEvent('keydown', { key, code, shiftKey, bubbles: true, cancelable: true, composed: true })
    if (!place.dispatchEvent(event)) return
    if (place !== document.activeElement || !isTextField(place)) return
    // Browsers dispatch `beforeinput` for text that a person types, but not for text that a page inserts.
    if (
      !place.dispatchEvent(
        new InputEvent('beforeinput', { inputType: 'insertText', data: key, bubbles: true, cancelable: true }),
      )
    )
      return
    // Only `execCommand` inserts text with the selection, the field's limits, undo, and the framework's events intact.
    document.execCommand('insertText', false, key)
  }

  function completeHeld(): void {
    clearTimeout(timer)
    burst.complete()
  }

  /**
   * Sets the timer that completes the held keys. A page that is `behindMs` late has more keys queued, which it must
   * process first.
   */
  function arm(behindMs: number): void {
    clearTimeout(timer)
    if (!burst.holds) return
    const due = performance.now() + burst.paceMs + Math.min(Math.max(0, behindMs), MAX_BEHIND_MS)
    timer = setTimeout(() => {
      const late = performance.now() - due
      if (late > STALLED_MS) arm(late)
      else completeHeld()
    }, due - performance.now())
  }

  function onKey(event: KeyboardEvent): void {
    // Ignore keys that the page itself dispatched: keys typed by `giveBack`, and events between controls.
    if (!event.isTrusted) return
    // A scanner presses Control before the key of a group separator: keep the held keys.
    if (event.key === 'Control' && burst.holds) return
    if (isGroupSeparator(event) && burst.holds) {
      const { shiftKey, target, timeStamp } = event
      burst.press({ ...GROUP_SEPARATOR, shiftKey, target, at: timeStamp })
      event.preventDefault()
      event.stopImmediatePropagation()
      return arm(performance.now() - timeStamp)
    }
    // Shortcuts, composed characters and the repeats of a key that is held down are no part of a scan.
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) return completeHeld()
    const { key, code, shiftKey, target } = event
    if (burst.press({ key, code, shiftKey, target, at: event.timeStamp }) === 'hold') {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    arm(performance.now() - event.timeStamp)
  }

  addEventListener('keydown', onKey, { capture: true })
  // Type the held keys before the page handles a tap.
  addEventListener('pointerdown', completeHeld, { capture: true })
  return () => {
    completeHeld()
    removeEventListener('keydown', onKey, { capture: true })
    removeEventListener('pointerdown', completeHeld, { capture: true })
  }
}

const PRESSED_BY_SPACE = 'button, input[type="radio"], input[type="checkbox"]'

/** Target of a held key: the element where it was pressed, or the one that an earlier key has focused. */
const placeOf = (target: EventTarget | null): Element =>
  target instanceof Element && target.isConnected && target !== document.body
    ? target
    : (document.activeElement ?? document.body)

const isTextField = (element: Element): boolean =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement

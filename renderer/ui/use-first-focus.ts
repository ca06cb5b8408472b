import { useEffect, useLayoutEffect, type RefObject } from 'react'

/**
 * Gives an element the keyboard as it comes. Before it is painted: whoever sees it types, and a digit that goes
 * elsewhere is lost. And once more when everything stands: a dialog below it keeps the focus until the one around it is
 * the topmost.
 */
export function useFirstFocus(element: RefObject<HTMLElement | null>, wanted = true): void {
  useLayoutEffect(() => {
    if (wanted) element.current?.focus()
  }, [element, wanted])
  useEffect(() => {
    if (wanted && element.current?.contains(document.activeElement) === false) element.current.focus()
  }, [element, wanted])
}

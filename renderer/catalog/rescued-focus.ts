import { useEffect, useRef, type RefObject } from 'react'

/**
 * For a place whose content is exchanged by itself: when the focus is gone with the old content it goes to the place,
 * so that keys go on working there. Elsewhere it stays, also when the page opens. Put the ref on an element with
 * tabIndex -1; `content` names what it shows now.
 */
export function useRescuedFocus(content: string): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  const shown = useRef<string | null>(null)
  useEffect(() => {
    const before = shown.current
    shown.current = place.current ? content : null
    if (before !== null && before !== content && document.activeElement === document.body) place.current?.focus()
  }, [content])
  return place
}

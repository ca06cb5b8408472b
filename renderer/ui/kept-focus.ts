import { useEffect, useRef, type RefObject } from 'react'

/**
 * For a place whose content is exchanged: when the button that was pressed is gone with the old content, the focus goes
 * to the place itself, so that keys go on working there. Put the ref on an element with tabIndex -1;
 * `content` names what it shows now.
 */
export function useKeptFocus(content: string): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (place.current && !place.current.contains(document.activeElement)) place.current.focus()
  }, [content])
  return place
}

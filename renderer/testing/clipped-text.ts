import type { Page } from '@playwright/test'

/**
 * Finds texts that a person cannot read completely: outside the window, a clipping container, their box or button, or
 * covered. Text that can be scrolled to is not cut off, nor is shortened text with a complete name or title.
 */
export const cutText = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Map<string, number>()
    const scrolls = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll'
    const inside = (box: DOMRect, element: Element): { x: [number, number]; y: [number, number] } => ({
      x: [box.left + element.clientLeft, box.left + element.clientLeft + element.clientWidth],
      y: [box.top + element.clientTop, box.top + element.clientTop + element.clientHeight],
    })
    const called = (element: Element): string => {
      const [style] = [...element.classList].map((name) => name.replace(/^_|_[\w-]{4,8}(_\d+)?$/g, ''))
      return style ? `${element.tagName.toLowerCase()}.${style}` : element.tagName.toLowerCase()
    }
    const unseen = (element: Element): boolean => {
      for (let around: Element | null = element; around; around = around.parentElement) {
        const { width, height } = around.getBoundingClientRect()
        if (width <= 1 || height <= 1) return getComputedStyle(around).display !== 'contents'
      }
      return !element.checkVisibility({ visibilityProperty: true }) || element.closest('.sr-only, [inert]') !== null
    }
    const hasCompleteName = (element: Element, text: string): boolean => {
      for (let around: Element | null = element; around; around = around.parentElement) {
        for (const name of ['title', 'aria-label'])
          if (around.getAttribute(name)?.replaceAll(/\s+/g, ' ').includes(text)) return true
      }
      return false
    }
    /** Returns how many pixels of this box cannot be scrolled into view, and what cuts them off. */
    const hidden = (holder: Element, box: DOMRect, slack: number): { by: string; pixels: number } => {
      const worst = { by: '', pixels: 0 }
      const x: [number, number] = [box.left, box.right]
      const y: [number, number] = [box.top + slack, box.bottom - slack]
      let [pageX, pageY, nearest] = [false, false, true]
      const cut = (by: string, [from, to]: [number, number], [min, max]: [number, number]): void => {
        const pixels = Math.round(Math.max(min - from, to - max))
        if (pixels > worst.pixels) Object.assign(worst, { by, pixels })
      }
      for (let around: Element | null = holder; around && around !== document.body; around = around.parentElement) {
        const style = getComputedStyle(around)
        if (style.display === 'inline' || style.display === 'contents') continue
        const room = inside(around.getBoundingClientRect(), around)
        // A text outside its own paragraph or cell overlaps other content.
        if (nearest && !scrolls(style.overflowX)) cut(called(around), x, room.x)
        nearest = false
        if (/^(BUTTON|A)$/.test(around.tagName)) {
          // On a button with padding, text must not touch the button's edge.
          const { left, right, top, bottom } = around.getBoundingClientRect()
          const edge = Math.min(2, Number.parseFloat(style.paddingLeft))
          if (!pageX) cut(called(around), x, [left + edge, right - edge])
          if (!pageY) cut(called(around), y, [top, bottom])
        }
        // A scroll container can show all its content; in the containers around it, only the scroll container itself
        // must be visible.
        if (scrolls(style.overflowX)) pageX = true
        else if (style.overflowX !== 'visible' && !pageX) cut(called(around), x, room.x)
        if (scrolls(style.overflowY)) pageY = true
        else if (style.overflowY !== 'visible' && !pageY) cut(called(around), y, room.y)
        if (style.position === 'fixed') break
      }
      const root = document.scrollingElement ?? document.documentElement
      if (!pageX) cut('the window', x, [0, innerWidth])
      if (!pageY && root.scrollHeight <= root.clientHeight) cut('the window', y, [0, innerHeight])
      return worst
    }
    const opened = [...document.querySelectorAll('[role$="dialog"], [role="listbox"]')].at(-1)
    /** Returns the element that permanently covers the text; a temporary overlay or scrolled content does not count. */
    const over = (holder: Element, { left, right, top, bottom }: DOMRect): Element | null => {
      if (opened && !opened.contains(holder)) return null
      for (let around: Element | null = holder; around; around = around.parentElement)
        if (scrolls(getComputedStyle(around).overflowY) && around.scrollHeight > around.clientHeight + 1) return null
      for (const x of [left + 2, right - 2]) {
        const hit = document.elementFromPoint(x, (top + bottom) / 2)
        if (!hit || holder.contains(hit)) continue
        // An element without a background covers nothing: it only receives touches, as a button over a whole row does.
        for (let cover: Element | null = hit; cover && !cover.contains(holder); cover = cover.parentElement)
          if (getComputedStyle(cover).backgroundColor !== 'rgba(0, 0, 0, 0)') return cover
      }
      return null
    }
    const note = (text: string, { by, pixels }: { by: string; pixels: number }): void => {
      if (pixels > 1) found.set(`${by}: ${text}`, Math.max(pixels, found.get(`${by}: ${text}`) ?? 0))
    }
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const holder = node.parentElement
      const text = (node.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
      if (!holder || text === '' || unseen(holder) || hasCompleteName(holder, text)) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      const lineHeight = Number.parseFloat(getComputedStyle(holder).lineHeight)
      for (const box of range.getClientRects()) {
        if (box.width <= 1) continue
        // A line's box may be lower than the font's box, which has room for accents.
        const slack = Number.isNaN(lineHeight) ? 0 : Math.max(0, (box.height - lineHeight) / 2)
        note(text, hidden(holder, box, slack))
        const cover = holder.closest('[aria-hidden="true"]') ? null : over(holder, box)
        if (cover) note(text, { by: `under ${called(cover)}`, pixels: Math.round(box.width) })
      }
    }
    for (const field of document.querySelectorAll<HTMLInputElement>('input[placeholder]')) {
      if (field.value !== '' || unseen(field)) continue
      const ink = document.createElement('canvas').getContext('2d')
      const { font, paddingLeft, paddingRight } = getComputedStyle(field)
      if (!ink) continue
      ink.font = font
      const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
      note(field.placeholder, { by: 'input', pixels: Math.round(ink.measureText(field.placeholder).width - room) })
    }
    return [...found].map(([where, pixels]) => `${where} (${pixels} px)`)
  })

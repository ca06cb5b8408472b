import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { smallestOf, type ScreenFixture } from './screen-fixture.ts'
import { setTheme, type Language, type FixtureBrowser } from './fixture-browser.ts'

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** Accessibility rules whose result depends on theme or size; all others are independent of them. */
const LOOKS = ['color-contrast', 'target-size', 'scrollable-region-focusable']
const NORMAL = { width: 1280, height: 800 }
const LARGE = { width: 1920, height: 1080 }
/** Window size of a 1024×768 screen at 200 % zoom. */
const ZOOMED = { width: 512, height: 384 }

/**
 * Views in which a fixture is tested. All rules run in both languages and themes at the smallest size; the check for
 * cut-off content runs at the usual size; rules on size and theme run at the other sizes, each in the theme that the
 * other language does not cover.
 */
const VIEWS = {
  en: [
    [NORMAL, 'light', null],
    ['smallest', 'light', undefined],
    ['smallest', 'dark', ['color-contrast']],
    [LARGE, 'dark', LOOKS],
    [ZOOMED, 'light', LOOKS],
  ],
  fr: [
    [NORMAL, 'light', null],
    ['smallest', 'dark', undefined],
    ['smallest', 'light', ['color-contrast']],
    [LARGE, 'light', LOOKS],
    [ZOOMED, 'dark', LOOKS],
  ],
} as const

async function axe(page: Page, rules?: readonly string[]): Promise<string[]> {
  const scan = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] })
  const { violations } = await (rules ? scan.withRules([...rules]) : scan.withTags(WCAG)).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any, all }) => `${id}: ${html.slice(0, 300)} ${[...any, ...all][0]?.message ?? ''}`),
  )
}

/** Finds buttons smaller than 48 px on the shorter side: our own rule, above the 24 px of WCAG 2.5.8. */
const small = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('button')].flatMap((button) => {
      const { width, height } = button.getBoundingClientRect()
      // React Aria adds a dismiss button for screen readers to every dialog: its container is one pixel wide, so it is
      // no touch target.
      const hidden = (element: Element | null): boolean =>
        element !== null && (element.getBoundingClientRect().width <= 1 || hidden(element.parentElement))
      const seen = !hidden(button) && button.checkVisibility({ visibilityProperty: true })
      return seen && Math.min(width, height) < 47.5
        ? [`${Math.round(width)}×${Math.round(height)} px: ${button.getAttribute('aria-label') ?? button.textContent}`]
        : []
    }),
  )

/** Finds texts and buttons that overflow the window or a clipping container and cannot be scrolled to. */
const unreachable = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const out: string[] = []
    const scrolls = (element: Element, axis: 'X' | 'Y'): boolean =>
      /auto|scroll/.test(getComputedStyle(element)[`overflow${axis}`])
    for (const element of document.querySelectorAll('button, h1, h2, input, output, p, dd, dt, li, label')) {
      const box = element.getBoundingClientRect()
      if (
        box.width <= 1 ||
        box.height <= 1 ||
        !element.checkVisibility({ visibilityProperty: true }) ||
        element.closest('.sr-only, [inert], [aria-hidden="true"]') ||
        (element.parentElement?.getBoundingClientRect().width ?? 0) <= 1
      )
        continue
      let [left, top, right, bottom] = [0, 0, innerWidth, innerHeight]
      let [freeX, freeY] = [false, false]
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        freeX ||= scrolls(parent, 'X')
        freeY ||= scrolls(parent, 'Y')
        if (getComputedStyle(parent).overflow !== 'hidden') continue
        const clip = parent.getBoundingClientRect()
        if (!freeX) [left, right] = [Math.max(left, clip.left), Math.min(right, clip.right)]
        if (!freeY) [top, bottom] = [Math.max(top, clip.top), Math.min(bottom, clip.bottom)]
      }
      if (
        (!freeX && (box.left < left - 1 || box.right > right + 1)) ||
        (!freeY && (box.top < top - 1 || box.bottom > bottom + 1))
      ) {
        out.push(
          `${element.tagName.toLowerCase()} at ` +
            `${Math.round(box.left)},${Math.round(box.top)}–${Math.round(box.right)},${Math.round(box.bottom)}: ` +
            `${(element.getAttribute('aria-label') ?? element.textContent).slice(0, 60)}`,
        )
      }
    }
    return out
  })

const overflowing = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('button')].flatMap((button) => {
      const holder = button.closest('footer, header, section, li, dl, [role="dialog"], [role="group"]')
      if (!holder || !button.checkVisibility({ visibilityProperty: true })) return []
      const [own, room] = [button.getBoundingClientRect(), holder.getBoundingClientRect()]
      const scrolls = (element: Element | null): boolean =>
        element !== null &&
        (/auto|scroll/.test(getComputedStyle(element).overflowX) ||
          (element !== holder && scrolls(element.parentElement)))
      const over = own.width > 1 && room.width > 1 && (own.right > room.right + 1 || own.left < room.left - 1)
      return over && !scrolls(button.parentElement)
        ? [
            `${Math.round(own.left)}–${Math.round(own.right)} over ` +
              `${Math.round(room.left)}–${Math.round(room.right)} px: ` +
              `${button.getAttribute('aria-label') ?? button.textContent}`,
          ]
        : []
    }),
  )

/**
 * Finds containers that must show all their content at every usual size and do not, because people miss text that needs
 * scrolling. While a field is edited, the touch keyboard takes space, so only the container of that field is checked.
 */
const clipped = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll(
        document.documentElement.dataset['keys'] === undefined ? '[data-whole]' : '[data-whole]:has(:focus)',
      ),
    ].flatMap((element) =>
      element.scrollHeight > element.clientHeight + 1
        ? [`holds ${element.scrollHeight} px in ${element.clientHeight} px: ${element.textContent.slice(0, 60)}`]
        : [],
    ),
  )

/** Finds placeholders that were not filled in, such as "Name ({language})", on the screen or in accessible names. */
export const rawPlaceholders = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const attributes = [...document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')].flatMap(
      (element) => ['aria-label', 'title', 'placeholder', 'alt'].map((name) => element.getAttribute(name) ?? ''),
    )
    return [document.body.innerText, ...attributes].flatMap((text) =>
      (text.match(/\{\w[^}\n]*\}?/g) ?? []).map((raw) => `a raw placeholder: ${raw}`),
    )
  })

/** Finds texts with a hyphen as wide as a digit, and amounts in a column whose digits have different widths. */
const figures = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const out: string[] = []
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const [text, holder] = [node.textContent ?? '', node.parentElement]
      if (!holder?.checkVisibility({ visibilityProperty: true })) continue
      const tabular = getComputedStyle(holder).fontVariantNumeric.includes('tabular-nums')
      if (tabular && /\p{L}{3,}-\p{L}{3,}/u.test(text) && !/[0-9a-f]{4}-[0-9a-f]{4}/.test(text))
        out.push(`a torn hyphen: ${text.slice(0, 60)}`)
      if (
        !tabular &&
        /^-?\$?[\d,\u00a0]+[.,]\d\d(\u00a0\$)?$/.test(text.trim()) &&
        holder.closest('[role="row"], [role="option"], table, dl')
      )
        out.push(`figures that do not align: ${text}`)
    }
    return out
  })

const sideways = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main, section, article, [role="dialog"]')].flatMap((part) =>
      /auto|scroll/.test(getComputedStyle(part).overflowX) &&
      part.clientWidth > 1 &&
      part.scrollWidth > part.clientWidth + 1
        ? [`holds ${part.scrollWidth} px in ${part.clientWidth} px across: ${part.textContent.slice(0, 60)}`]
        : [],
    ),
  )

export async function findBarriers(
  fixtureBrowser: FixtureBrowser,
  fixture: ScreenFixture,
  language: Language,
): Promise<string[]> {
  const { page, faults } = await fixtureBrowser.show(fixture, language, NORMAL)
  const found = new Set(faults)
  for (const [view, theme, rules] of VIEWS[language]) {
    const size = view === 'smallest' ? smallestOf(fixture) : view
    await setTheme(page, theme)
    await page.setViewportSize(size)
    // Even with reduced motion a change of size takes a millisecond, so wait for the end of transitions before
    // measuring.
    await page.waitForFunction(() => document.getAnimations().every((running) => !(running instanceof CSSTransition)))
    const seen = [
      ...(await small(page)),
      ...(await unreachable(page)),
      ...(await overflowing(page)),
      ...(size === NORMAL ? [...(await figures(page)), ...(await rawPlaceholders(page))] : []),
      ...(size === ZOOMED ? await sideways(page) : await clipped(page)),
      ...(rules === null ? [] : await axe(page, rules)),
    ]
    for (const each of seen) found.add(`at ${size.width}, ${theme}: ${each}`)
  }
  return [...found]
}

/**
 * A linear barcode: each bar as [left, width] in modules; `width` holds the quiet zones on both sides. No bars: the
 * text cannot be drawn.
 */
export interface Bars {
  readonly width: number
  readonly bars: readonly (readonly [number, number])[]
}

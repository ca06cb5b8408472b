/**
 * Returns the variant of a scenario (a language, keyboard or touch) that the scenario with this index plays: equivalent
 * variants are divided among the scenarios. With `MILEPOST_CAMPAIGN=1` each scenario runs all variants.
 */
export const variantsFor = <Variant>(variants: readonly Variant[], index: number): readonly Variant[] =>
  process.env['MILEPOST_CAMPAIGN'] === '1'
    ? variants
    : variants.slice(index % variants.length, (index % variants.length) + 1)

/** A catalog with exactly the keys of another. */
export type SameKeys<Catalog> = {
  readonly [Key in keyof Catalog]: Catalog[Key] extends string ? string : SameKeys<Catalog[Key]>
}

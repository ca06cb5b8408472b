/** A text that another has written, as long as there is room for it: what is longer ends in an ellipsis. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`
